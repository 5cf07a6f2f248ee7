import { feeOf } from '../mempool.ts';
import { mempoolRecord } from '../records/transaction.ts';
import { type Answer, numberOf, ok, type Route } from '../route.ts';
import type { MempoolTx, World } from '../world.ts';
import { compare } from './transactions.ts';

const PERCENTILES = { no_priority: 25n, low_priority: 50n, medium_priority: 75n, high_priority: 95n };
const TYPES = ['token_transfer', 'contract_call', 'smart_contract'];

/** getMempoolFeePriorities (docs/spec/mempool.md#fee-priorities). */
function feePriorities({ pending }: World): Answer {
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

/** getMempoolTransactionList. Without `unanchored=true` what the mempool knows of unanchored microblocks is listed too. Equals by id. */
function mempool(world: World, _params: unknown, query: URLSearchParams): Answer {
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

function passes({ decoded: { origin, payload } }: MempoolTx, query: URLSearchParams): boolean {
  const sender = origin.address;
  const recipient = payload.kind === 'token_transfer' ? payload.recipient : undefined;
  const called = payload.kind === 'contract_call' ? payload.contractId : undefined;
  const deployed = payload.kind === 'smart_contract' ? `${sender}.${payload.name}` : undefined;
  const allows = (name: string, ...values: readonly (string | undefined)[]): boolean =>
    !query.has(name) || values.includes(query.get(name) ?? undefined);
  return (
    allows('sender_address', sender) &&
    allows('recipient_address', recipient) &&
    allows('address', sender, recipient, called, deployed)
  );
}

function compareBy(key: string, a: MempoolTx, b: MempoolTx): number {
  if (key === 'size') return a.raw.length - b.raw.length;
  return key === 'fee' ? compare(feeOf(a.decoded), feeOf(b.decoded)) : a.receiptTime - b.receiptTime;
}

export const mempoolRoutes: readonly Route[] = [
  { template: '/extended/v2/mempool/fees', answer: feePriorities },
  { template: '/extended/v1/tx/mempool', answer: mempool },
];
