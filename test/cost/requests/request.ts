export const LIMIT = 10;
/** Nothing has it. */
export const UNKNOWN_HASH = `0x${'12'.repeat(32)}`;

/** A request that is measured. */
export interface Request {
  readonly name: string;
  readonly path: string;
  /**
   * A page whose list goes on: its last page is requested too. A function gives the length of a list without a total.
   */
  readonly pages?: true | ((blocks: number) => number);
  /** Made from the document: it need not have a page in each chain. */
  readonly isCombination?: true;
}

export const page = (name: string, path: string, pages?: Request['pages']): Request => ({
  name,
  path,
  ...(pages !== undefined && { pages }),
});

/** A page of a list with a total. */
export const list = (name: string, path: string): Request =>
  page(name, `${path}${path.includes('?') ? '&' : '?'}limit=${LIMIT}`, true);
