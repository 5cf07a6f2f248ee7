import { feeOf } from '../mempool.ts';
import { isUnclear, principalOf } from '../principals.ts';
import { mempoolRecord } from '../records/transaction.ts';
import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { MempoolTx, World } from '../world.ts';
import { compare } from './transactions.ts';

const PERCENTILES = { no_priority: 25n, low_priority: 50n, medium_priority: 75n, high_priority: 95n };
const TYPES = ['token_transfer', 'contract_call', 'smart_contract'];

/** getMempoolFeePrioritiesV2 (docs/spec/mempool.md#fee-priorities). */
function feePriorities({ pending }: World): ApiResponse {
  const groups = TYPES.map(type => [type, pending.filter(tx => tx.decoded.payload.kind === type)] as const);
  const present = groups.filter(([, txs]) => txs.length > 0);
  return ok(
    Object.fromEntries([['all', pending] as const, ...present].map(([name, txs]) => [name, prioritiesOf(txs)])),
  );
}

function prioritiesOf(txs: readonly MempoolTx[]) {
  const fees = txs.map(tx => feeOf(tx.decoded)).sort(compare);
  return Object.fromEntries(Object.entries(PERCENTILES).map(([name, percent]) => [name, percentile(fees, percent)]));
}

/**
 * Between the closest ranks, linearly; rounded half to even. In floating point, as the database of the recorded API computes it:
 * 0.95 of 30 is a little less than 28.5 there.
 */
function percentile(ascending: readonly bigint[], percent: bigint): number {
  const rank = (Number(percent) / 100) * (ascending.length - 1);
  const [below = 0n, above = below] = ascending.slice(Math.max(0, Math.floor(rank)));
  const exact = Number(below) + Number(above - below) * (rank - Math.floor(rank));
  const [down, rest] = [Math.floor(exact), exact - Math.floor(exact)];
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}

/** getMempoolTransactionListV1. Without `unanchored=true` what the mempool knows of unanchored microblocks is listed too. Equals by id. */
function mempool(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  if (isUnclear(query, ['sender_address', 'recipient_address', 'address'])) return failed(400);
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const streamed = new Set(query.get('unanchored') === 'true' ? [] : world.unanchored.map(({ txId }) => txId));
  const matching = world.mempool
    .filter(tx => tx.status === 'pending' || streamed.has(tx.txId))
    .filter(tx => passes(tx, query))
    .sort((a, b) => compareBy(query.get('order_by') ?? 'age', a, b) || compare(a.txId, b.txId));
  if (query.get('order') !== 'asc') matching.reverse();
  const withoutArgs = query.get('exclude_function_args') === 'true';
  const results = matching.slice(offset, offset + limit).map(tx => mempoolRecord(world, tx, { withoutArgs }));
  return ok({ limit, offset, total: matching.length, results });
}

/** getDroppedMempoolTransactionListV1: those received last first, equals by id. */
function dropped(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  const all = world.mempool
    .filter(tx => tx.status.startsWith('dropped_'))
    .sort((a, b) => -compareBy('age', a, b) || compare(b.txId, a.txId));
  const withoutArgs = query.get('exclude_function_args') === 'true';
  return ok(
    page(all, numberOf(query, 'limit', 20) || 20, numberOf(query, 'offset', 0), tx =>
      mempoolRecord(world, tx, { withoutArgs }),
    ),
  );
}

/** getMempoolTransactionStatsV1 (docs/spec/mempool.md#statistics). */
function stats({ pending, blocks }: World): ApiResponse {
  const types = ['token_transfer', 'smart_contract', 'contract_call', 'poison_microblock'];
  const byType = <T>(value: (txs: readonly MempoolTx[]) => T) =>
    Object.fromEntries(types.map(type => [type, value(pending.filter(tx => tx.decoded.payload.kind === type))]));
  const percentiles = (measure: (tx: MempoolTx) => number) => byType(txs => percentilesOf(txs.map(measure)));
  return ok({
    tx_type_counts: byType(txs => txs.length),
    tx_simple_fee_averages: percentiles(tx => Number(feeOf(tx.decoded))),
    tx_ages: percentiles(tx => Math.max(1, blocks.length + 1 - (tx.tip?.height ?? 0))),
    tx_byte_sizes: percentiles(tx => tx.raw.length / 2 - 1),
  });
}

function percentilesOf(values: readonly number[]) {
  const ascending = values.toSorted((a, b) => a - b);
  const at = (part: number): number | null => {
    const rank = part * (ascending.length - 1);
    const [below = null, above = below] = ascending.slice(Math.max(0, Math.floor(rank)));
    return below === null || above === null ? null : below + (rank - Math.floor(rank)) * (above - below);
  };
  return { p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
}

/** getMempoolSummaryV3 (docs/spec/mempool.md#summary). */
function summary({ pending }: World): ApiResponse {
  const types = ['token_transfer', 'smart_contract', 'contract_call'];
  const figures = (txs: readonly MempoolTx[]) => {
    const percentiles = (measure: (tx: MempoolTx) => bigint, show: (value: bigint) => unknown) => {
      const ascending = txs.map(measure).sort(compare);
      const at = (percent: number) => {
        const value = ascending.find((_, i) => 100 * (i + 1) >= percent * ascending.length);
        return value === undefined ? null : show(value);
      };
      return { p25: at(25), p50: at(50), p75: at(75), p95: at(95) };
    };
    return {
      count: txs.length,
      fee_rate: percentiles(tx => feeOf(tx.decoded), String),
      tx_size: percentiles(tx => BigInt(tx.raw.length / 2 - 1), Number),
      receipt_time: percentiles(tx => BigInt(tx.receiptTime), Number),
      receipt_block_height: percentiles(tx => BigInt(tx.tip?.height ?? 0), Number),
    };
  };
  const ofTypes = (...some: readonly string[]) =>
    figures(pending.filter(({ decoded }) => some.includes(decoded.payload.kind)));
  return ok({ ...ofTypes(...types), by_type: Object.fromEntries(types.map(type => [type, ofTypes(type)])) });
}

/** The same sums may differ in their last digit. */
const rounded = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value)));

/** Where bands of fees begin. */
const BOUNDS = [0n, 300n, 1_000n, 3_000n, 10_000n, 30_000n, 100_000n, 300_000n, 1_000_000n];

/** getMempoolBandsV3. A thousand transactions are more than a chain of the model has. */
function bands({ pending, mempool: known, blocks, txs }: World): ApiResponse {
  const newest = blocks.slice(-100);
  const mined = txs.filter(({ block }) => newest.some(({ indexHash }) => indexHash === block.indexHash));
  const types = ['token_transfer', 'smart_contract', 'contract_call', 'poison_microblock'];
  const within = <T extends Pick<MempoolTx, 'decoded'>>(all: readonly T[], i: number) =>
    all.filter(({ decoded }) => {
      const [fee, end] = [feeOf(decoded), BOUNDS[i + 1]];
      return fee >= (BOUNDS[i] ?? 0n) && (end === undefined || fee < end);
    });
  const byType = <T extends Pick<MempoolTx, 'decoded'>>(some: readonly T[], counts: (txs: readonly T[]) => unknown) =>
    Object.fromEntries(types.map(type => [type, counts(some.filter(tx => tx.decoded.payload.kind === type))]));
  const waited = (some: readonly World['txs'][number][]) => {
    const blocksOf = some.flatMap(({ txId, block }) => {
      const heard = known.find(tx => tx.announced && tx.txId === txId);
      const wait = heard === undefined ? 0 : block.height - (heard.tip?.height ?? 0);
      return wait > 0 ? [wait] : [];
    });
    const ascending = blocksOf.toSorted((a, b) => a - b);
    return { count: ascending.length, median_blocks: ascending[Math.ceil(ascending.length / 2) - 1] ?? null };
  };
  const bytes = (some: readonly MempoolTx[]) => some.reduce((sum, { raw }) => sum + raw.length / 2 - 1, 0);
  return ok({
    mined_in: { from_height: newest.at(0)?.height ?? null, to_height: newest.at(-1)?.height ?? null },
    bands: BOUNDS.map((from, i) => ({
      from_fee: String(from),
      below_fee: BOUNDS[i + 1]?.toString() ?? null,
      waiting: byType(within(pending, i), some => ({ count: some.length, bytes: bytes(some) })),
      mined: byType(within(mined, i), some => ({ count: some.length })),
      waited: waited(within(mined, i)),
    })).reverse(),
  });
}

function passes({ decoded: { origin, payload } }: MempoolTx, query: URLSearchParams): boolean {
  const sender = origin.address;
  const recipient = payload.kind === 'token_transfer' ? payload.recipient : undefined;
  const called = payload.kind === 'contract_call' ? payload.contractId : undefined;
  const deployed = payload.kind === 'smart_contract' ? `${sender}.${payload.name}` : undefined;
  const allows = (name: string, ...values: readonly (string | undefined)[]): boolean =>
    !query.has(name) || values.includes(principalOf(query.get(name) ?? ''));
  return (
    allows('sender_address', sender) &&
    allows('recipient_address', recipient) &&
    allows('address', sender, recipient, called, deployed)
  );
}

function compareBy(key: string, a: MempoolTx, b: MempoolTx): number {
  if (key === 'size') return a.raw.length - b.raw.length;
  if (key === 'fee') return compare(feeOf(a.decoded), feeOf(b.decoded));
  return a.receiptTime - b.receiptTime || orderOf(a) - orderOf(b);
}

/** Of those received in one second; what came back from a lost block has no order. */
const orderOf = ({ announced, arrival }: MempoolTx): number => (announced ? arrival : -1);

/** getAddressMempoolTransactionsV1: the same list. */
const mempoolOfAddress: Route['respond'] = (world, { principal = '' }, query) => {
  const { limit, offset, unanchored, exclude_function_args } = Object.fromEntries(query);
  const asked = { address: principal, limit, offset, unanchored, exclude_function_args };
  const given = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return mempool(world, {}, new URLSearchParams(given));
};

export const mempoolRoutes: readonly Route[] = [
  { template: '/extended/v2/mempool/fees', respond: feePriorities },
  { template: '/extended/v1/tx/mempool', respond: mempool },
  { template: '/extended/v1/tx/mempool/dropped', respond: dropped },
  { template: '/extended/v3/mempool', respond: summary },
  { template: '/extended/v3/mempool/bands', respond: bands },
  { template: '/extended/v1/tx/mempool/stats', respond: stats, normalise: rounded },
  { template: '/extended/v1/address/{principal}/mempool', respond: mempoolOfAddress },
];
