import type { Json, Recorded } from '../../test/support/recording.ts';

/**
 * Recorded totals that are not the length of their list, corrected by what the recording itself lists: the transactions of the boot
 * block are in the lists of getTransactionListV1 and getTransactionsByBlockV2 and in no total, operations of Bitcoin without effect are in
 * the total of their block and in no list. And a block without transactions, which getBlockV2 shows with `tx_count` 0, was 404 in
 * getTransactionsByBlockV2: it has an empty page.
 */

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  readonly results: readonly { readonly block_hash: string; readonly block_height: number }[];
}

const OF_BLOCK = /^\/extended\/v2\/blocks\/([^/?]+)\/transactions/;
const LIST = /^\/extended\/v1\/tx\/?(\?|$)/;
/** What narrows no list. */
const NO_FILTER = /^(limit|offset|order|sort_by|unanchored|exclude_function_args)=/;

/** The responses, with those corrected whose total is wrong or whose block is empty. */
export function withTrueTotals<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const lengths = lengthsOfBlocks(responses);
  const empty = emptyBlocks(responses);
  const boot = bootTransactions(responses, lengths);
  let changed = 0;
  const corrected = responses.map(response => {
    const body = corrections(response);
    if (body === undefined) return response;
    changed++;
    return { ...response, status: 200, body };
  });
  return { responses: corrected, changed };

  function corrections({ path, status, body }: A): Json | undefined {
    const block = OF_BLOCK.exec(path)?.[1];
    if (status === 404 && block !== undefined && empty.has(block)) return emptyPage(path);
    if (status !== 200 || (block === undefined && !isUnfiltered(path))) return undefined;
    const page = body as unknown as Page;
    if (page.total === 0 && page.results.length === 0) return undefined; // past the end, where any total is as good
    const total =
      block === undefined ? page.total + boot : (lengths.get(page.results[0]?.block_hash ?? '') ?? page.total);
    return total === page.total ? undefined : { ...(body as { [key: string]: Json }), total };
  }
}

function isUnfiltered(path: string): boolean {
  const query = new URL(path, 'http://localhost').searchParams;
  return LIST.test(path) && [...query].every(([name, value]) => NO_FILTER.test(`${name}=${value}`));
}

const pagesOfBlocks = (responses: readonly Recorded[]): Page[] =>
  responses
    .filter(({ path, status }) => status === 200 && OF_BLOCK.test(path))
    .map(({ body }) => body as unknown as Page)
    .filter(({ results }) => results.length > 0);

/** How many transactions the pages of a block list, by its hash, where a page shows the end. */
function lengthsOfBlocks(responses: readonly Recorded[]): Map<string, number> {
  const last = pagesOfBlocks(responses).filter(({ limit, results }) => results.length < limit);
  return new Map(last.map(({ offset, results }) => [results[0]?.block_hash ?? '', offset + results.length]));
}

/** How many of the transactions of block 1 its total leaves out. */
function bootTransactions(responses: readonly Recorded[], lengths: ReadonlyMap<string, number>): number {
  const first = pagesOfBlocks(responses).find(({ results }) => results[0]?.block_height === 1);
  return first ? (lengths.get(first.results[0]?.block_hash ?? '') ?? first.total) - first.total : 0;
}

/** Heights and hashes under which the recording shows a canonical block without transactions. */
function emptyBlocks(responses: readonly Recorded[]): Set<string> {
  const found = new Set<string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const { tx_count, canonical, height, hash, index_block_hash } = value;
      if (tx_count === 0 && canonical === true)
        for (const id of [height, hash, index_block_hash]) found.add(String(id));
      Object.values(value).forEach(visit);
    }
  };
  for (const { path, body } of responses) if (path.startsWith('/extended/v2/blocks')) visit(body);
  return found;
}

function emptyPage(path: string): Json {
  const query = new URL(path, 'http://localhost').searchParams;
  return {
    limit: Number(query.get('limit') ?? 20),
    offset: Number(query.get('offset') ?? 0),
    total: 0,
    results: [],
  };
}
