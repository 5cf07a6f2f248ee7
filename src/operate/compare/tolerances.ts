import { isJsonObject, type JsonValue } from '../../base/lib/json.ts';
import { type Difference, isList } from './differences.ts';
import type { ComparedResponse } from './server.ts';

/** Why a difference is tolerated. */
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

/** Lists of pending transactions: of two mempools only what both have can be compared. */
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

/** Whether responses are about the same block, so that they must be equal at any tip. Others must be at the same one. */
export function isSettled(operationId: string, ours: ComparedResponse, theirs: ComparedResponse): boolean {
  const isSameBlock = blockOf(ours.body) === blockOf(theirs.body);
  return OF_ONE_BLOCK.has(operationId) && ours.status === 200 && theirs.status === 200 && isSameBlock;
}

const blockOf = (body: JsonValue): JsonValue | undefined =>
  isJsonObject(body) ? (body.block_hash ?? body.hash) : undefined;

/** What differs between any two servers. */
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

const LISTS_OF_BLOCK = ['getTransactionsByBlockV2', 'getTransactionsByBlockHashV1', 'getTransactionsByBlockHeightV1'];

/** The deviations of the hosted API's software in docs/compatibility.md. */
const OF_THE_HOSTED_API: readonly Tolerance[] = [
  {
    routes: [...LISTS_OF_BLOCK, 'getTransactionListV1', 'getBurnBlocksV2', 'getTenureBlocksV2', 'getMicroblockListV1'],
    at: /^total$/,
    why: 'totals count what is listed',
  },
  {
    routes: ['getTenureBlocksV2', 'getMicroblockListV1'],
    at: /^results/,
    why: 'pages are of the list that is counted',
  },
  {
    routes: [...LISTS_OF_BLOCK, 'getAddressTransactionsV2'],
    at: /contract_call\.(function_signature|function_args)/,
    why: 'names and types of arguments are resolved everywhere',
  },
  { routes: ['getAverageBlockTimesV2'], at: /./, why: 'windows end at the time of the tip' },
  { routes: ['getBlockListV1'], at: /microblocks_streamed/, why: 'as a single block shows them' },
  { routes: ['getContractsByTraitV1'], at: /./, why: 'traits are compared by the rule of the chain' },
  { routes: ['getAccountAssetsV1'], at: /stx_lock_event/, why: 'locks have their amounts' },
  { routes: ['getPoxCycleSignersV2', 'getPoxCycleSignerV2'], at: /stacker/, why: 'who increases alone counts' },
  { routes: ['getPoxEventsByStackerV1'], at: /^(limit|offset|total)$/, why: 'limits are explicit' },
  {
    routes: ['searchByIdV1'],
    at: /^result\.metadata|^result\.tx_data|^result\.block_data/,
    why: 'one rule with and without metadata',
  },
  { at: /(^|\.)unanchored|microblock_/, why: 'microblocks count by one rule' },
  { routes: ['getNamesOwnedByAddressV1', 'getNameInfoV1'], at: /./, why: 'names of BNS version 2 are known' },
  {
    routes: ['getBurnchainRewardListV1', 'getBurnchainRewardListByAddressV1', 'getBurnchainRewardsTotalByAddressV1'],
    at: /./,
    why: 'rewards follow the burn chain alone',
  },
];

/** What is compared of a response. @param strict the other server runs this software, so only its circumstances may differ */
export interface Rules {
  readonly strict: boolean;
}

/**
 * Whether a difference in a response is expected.
 * @returns why it is, or undefined
 */
export function toleranceOf(
  operationId: string,
  { at, ours, theirs }: Difference,
  { strict }: Rules,
): string | undefined {
  const fits = ({ routes, at: place }: Tolerance) => (routes?.includes(operationId) ?? true) && place.test(at);
  const known = OF_EACH_SERVER.find(fits) ?? (strict ? undefined : OF_THE_HOSTED_API.find(fits));
  if (known !== undefined) return known.why;
  if (strict) return undefined;
  if (theirs === undefined && ours !== undefined && !at.endsWith(']')) return 'fields that only this index has';
  return theirs === 0 && /(^|\.)total$/.test(at) ? 'totals past the end of a list are true' : undefined;
}

/**
 * Why two statuses are as good as each other although they are not the same, or undefined. Of two errors only the
 * status counts.
 */
export function statusTolerance(
  ours: ComparedResponse,
  theirs: ComparedResponse,
  { strict }: Rules,
): string | undefined {
  if (strict) return undefined;
  if (theirs.status >= 500 && ours.status < 500) return 'the other server failed';
  if (theirs.status >= 300 && theirs.status < 400) return 'answered directly';
  if (theirs.status === 404 && isEmptyPage(ours.body)) return 'an empty page of what exists';
  return theirs.status === 404 && ours.status === 400 ? 'what is no identifier is a bad request' : undefined;
}

const isEmptyPage = (body: JsonValue): boolean =>
  isJsonObject(body) && isList(body.results) && body.results.length === 0;

/** Both bodies, of pending transactions only those that both have. */
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
