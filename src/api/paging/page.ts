/** The fields before the records of a list. Keys are written in their order; undefined ones are left out. */
export interface Envelope {
  /** In the list of a token's holders: the sum of their balances. */
  readonly total_supply?: string;
  readonly limit: number;
  readonly offset: number;
  readonly total?: number;
  readonly next_cursor?: string | null;
  readonly prev_cursor?: string | null;
  readonly cursor?: string | null;
}

/**
 * The JSON text of a page: the envelope, then `results`.
 * @param records each the JSON text of one record, as stored
 */
export function page(envelope: Envelope, records: readonly string[]): string {
  let json = `${JSON.stringify(envelope).slice(0, -1)},"results":[`;
  // Concatenates instead of joining: records are ropes, whose pieces are copied only once, when the whole text is encoded.
  for (let i = 0; i < records.length; i++) json += i === 0 ? records[i] : `,${records[i]}`;
  return `${json}]}`;
}

/** As `page`, for records that are objects. */
export const pageOfRecords = (envelope: Envelope, records: readonly object[]): string =>
  page(
    envelope,
    records.map(record => JSON.stringify(record)),
  );
