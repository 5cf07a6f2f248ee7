import { isJsonObject, type JsonValue } from '../../base/lib/json.ts';
import { type Difference, isList } from './differences.ts';
import { DOCUMENTED, type DocumentedDifference } from './documented.ts';
import type { ComparedResponse } from './server.ts';

/** Why a difference is tolerated, whatever the other server is. */
interface Tolerance {
  /** Names of routes; without them, all routes. */
  readonly routes?: readonly string[];
  /** Places in the response, such as `results[3].total`. */
  readonly at: RegExp;
  readonly why: string;
}

/** Routes whose responses may differ between any two servers. */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  getStatus: 'describes the server',
  getServerStatusV3: 'describes the server',
  getMempoolFeePrioritiesV2: 'the mempool of each node',
  getMempoolTransactionStatsV1: 'the mempool of each node',
  getMempoolSummaryV3: 'the mempool of each node',
  getDroppedMempoolTransactionListV1: 'the mempool of each node',
  getUnanchoredTxsV1: 'what each node was streamed',
  streamEventsV3: 'a stream has no end',
  getStreamEventsV3: 'what each server has seen since its start',
  getForksV3: 'the forks that each node has seen',
  getForkV3: 'the forks that each node has seen',
  getNetworkBlockTimesV1: 'set by each server',
  getNetworkBlockTimeByNetworkV1: 'set by each server',
  getNamespacePriceV2: 'answered by the node',
  getNamePriceV2: 'answered by the node',
};

/** Routes of the web: documents are fetched at different times. */
export const fromTheWeb = (path: string): boolean => path.startsWith('/metadata');

/** Lists of pending transactions: mempools differ, so only transactions that both have can be compared. */
const PENDING_LISTS: ReadonlySet<string> = new Set([
  'getMempoolTransactionListV1',
  'getAddressMempoolTransactionsV1',
  'getMempoolTransactionsV3',
  'getPrincipalMempoolTransactionsV3',
]);

/** Routes whose response about a block that both servers have never changes. */
const OF_ONE_BLOCK: ReadonlySet<string> = new Set([
  'getBlockByHashV1',
  'getBlockByHeightV1',
  'getTransactionsByBlockV2',
  'getTransactionsByBlockHashV1',
  'getTransactionsByBlockHeightV1',
  'getTransactionByIdV1',
  'getRawTransactionByIdV1',
  'getSignerSignaturesForBlockV2',
]);

/** Whether responses are about the same block, and so must be equal at any tip. Others are compared only at the same tip. */
export function isSettled(operationId: string, ours: ComparedResponse, theirs: ComparedResponse): boolean {
  const isSameBlock = blockOf(ours.body) === blockOf(theirs.body);
  return OF_ONE_BLOCK.has(operationId) && ours.status === 200 && theirs.status === 200 && isSameBlock;
}

const blockOf = (body: JsonValue): JsonValue | undefined =>
  isJsonObject(body) ? (body.block_hash ?? body.hash) : undefined;

/** Differences between any two servers. */
const OF_EACH_SERVER: readonly Tolerance[] = [
  { at: /(^|\.)receipt_time(_iso)?$/, why: 'when each server received a transaction' },
  { at: /(^|\.)(pending_balance|estimated_balance)\w*$/, why: 'the mempool of each node' },
  {
    routes: ['getAccountNoncesV1', 'getPrincipalNoncesV3'],
    at: /mempool|possible_next|missing/,
    why: 'the mempool of each node',
  },
  { routes: ['getPrincipalStxBalanceV2', 'getPrincipalBalancesStxV3'], at: /mempool/, why: 'the mempool of each node' },
  { routes: [...PENDING_LISTS], at: /^(total|limit|offset)$|cursor/, why: 'the mempool of each node' },
];

/** The rules of comparing responses. @param strict the other server runs this software, so only its circumstances may differ */
export interface Rules {
  readonly strict: boolean;
}

/** A request that was sent to both servers, and both responses. */
export interface ComparedExchange {
  readonly operationId: string;
  /** With its query. */
  readonly path: string;
  readonly ours: ComparedResponse;
  readonly theirs: ComparedResponse;
}

/** A difference in the body, or in one part of the head. */
export type DifferingPart = { readonly at: string } | { readonly header: string } | { readonly status: true };

/**
 * Whether a difference is expected.
 * @param part its place: an `at` of the body, a header, or the status
 * @returns the reason, or undefined
 */
export function toleranceOf(
  exchange: ComparedExchange,
  part: DifferingPart,
  { ours, theirs }: Pick<Difference, 'ours' | 'theirs'>,
  { strict }: Rules,
): string | undefined {
  const { operationId } = exchange;
  if ('at' in part) {
    const known = OF_EACH_SERVER.find(({ routes, at }) => (routes?.includes(operationId) ?? true) && at.test(part.at));
    if (known !== undefined) return known.why;
  }
  if (strict) return undefined;
  const found = DOCUMENTED.find(
    entry =>
      isAbout(entry, exchange) &&
      isPart(entry, part, exchange) &&
      (entry.ours?.test(textOf(ours)) ?? true) &&
      (entry.theirs?.test(textOf(theirs)) ?? true),
  );
  const [row] = found?.rows ?? [];
  return row && `documented: ${typeof row === 'string' ? row : row[0]}`;
}

const textOf = (value: JsonValue | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Whether an entry is about the route, the request and the responses. */
function isAbout(entry: DocumentedDifference, { operationId, path, ours, theirs }: ComparedExchange): boolean {
  const { routes, below, request, on, ourBody, theirBody } = entry;
  return (
    (routes?.includes(operationId) ?? true) &&
    path.startsWith(below ?? '') &&
    (request?.test(path) ?? true) &&
    (on !== 'empty page' || isEmptyPage(ours.body)) &&
    (on !== 'error' || ours.status >= 400) &&
    (ourBody?.test(JSON.stringify(ours.body)) ?? true) &&
    (theirBody?.test(JSON.stringify(theirs.body)) ?? true)
  );
}

function isPart(
  { at, header, status }: DocumentedDifference,
  part: DifferingPart,
  { ours, theirs }: ComparedExchange,
): boolean {
  if ('at' in part) return at?.test(part.at) ?? false;
  if ('header' in part) return header === part.header;
  return (status?.[0].includes(ours.status) && status[1].includes(theirs.status)) ?? false;
}

const isEmptyPage = (body: JsonValue): boolean =>
  isJsonObject(body) && isList(body.results) && body.results.length === 0;

/** Both bodies, with only the pending transactions that both have. */
export function comparable(
  operationId: string,
  ours: JsonValue,
  theirs: JsonValue,
): readonly [ours: JsonValue, theirs: JsonValue] {
  if (!PENDING_LISTS.has(operationId)) return [ours, theirs];
  const both = new Set(idsOf(ours).filter(id => idsOf(theirs).includes(id)));
  return [onlyThese(ours, both), onlyThese(theirs, both)];
}

const idsOf = (body: JsonValue): JsonValue[] =>
  isJsonObject(body) && isList(body.results)
    ? body.results.map(each => (isJsonObject(each) ? (each.tx_id ?? null) : null))
    : [];

function onlyThese(body: JsonValue, ids: ReadonlySet<JsonValue>): JsonValue {
  if (!isJsonObject(body) || !isList(body.results)) return body;
  const listed = body.results.filter(each => isJsonObject(each) && each.tx_id !== undefined && ids.has(each.tx_id));
  const key = (each: JsonValue) => (isJsonObject(each) ? String(each.tx_id) : '');
  return { ...body, results: listed.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) };
}
