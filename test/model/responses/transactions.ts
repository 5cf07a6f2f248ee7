import { everSeen } from '../everything.ts';
import { feeOf } from '../mempool.ts';
import { isUnclear, principalOf } from '../principals.ts';
import { listedTransaction } from '../records/listed.ts';
import { transactionRecord } from '../records/transaction.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../route.ts';
import type { Tx, World } from '../world.ts';

/**
 * getTransactionListV1 (docs/spec/transactions.md#recent-transactions).
 */
function transactions(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  if (isUnclear(query, ['from_address', 'to_address', 'contract_id'])) return failed(400);
  const filters = filtersOf(query);
  const population = query.get('unanchored') === 'true' ? world.txs : world.txs.filter(tx => !isUnanchored(tx));
  const matching = sorted(
    population.filter(tx => filters.every(passes => passes(tx))),
    query.get('sort_by'),
  );
  if (query.get('order') !== 'asc') matching.reverse();
  const results = matching.slice(offset, offset + limit).map(tx => listedTransaction(world, tx, query));
  return ok({ limit, offset, total: matching.length, results });
}

const isUnanchored = (tx: Tx): boolean => tx.block.hash === '0x';

type Filter = (tx: Tx) => boolean;

function filtersOf(query: URLSearchParams): Filter[] {
  const filters: Filter[] = [];
  const add = (name: string, filter: (value: string) => Filter) => {
    const value = query.get(name);
    if (value) filters.push(filter(value));
  };
  const addNumber = (name: string, filter: (value: number) => Filter) => {
    const value = query.get(name);
    if (value !== null) filters.push(filter(Number(value)));
  };
  const types = query.getAll('type').flatMap(type => type.split(','));
  if (types.length > 0) filters.push(tx => types.includes(tx.decoded.payload.kind));
  const addPrincipal = (name: string, filter: (value: string) => Filter) =>
    add(name, given => filter(principalOf(given) ?? given));
  addPrincipal('from_address', address => tx => tx.decoded.origin.address === address);
  addPrincipal('to_address', address => ({ decoded: { payload } }) => {
    return payload.kind === 'token_transfer' && payload.recipient === address;
  });
  addPrincipal(
    'contract_id',
    id =>
      ({ decoded: { payload } }) =>
        payload.kind === 'contract_call' && payload.contractId === id,
  );
  add('function_name', name => ({ decoded: { payload } }) => {
    return payload.kind === 'contract_call' && payload.functionName === name;
  });
  addNumber('nonce', nonce => tx => Number(tx.decoded.origin.nonce) === nonce);
  addNumber('start_time', time => tx => tx.block.burnTime >= time);
  addNumber('end_time', time => tx => tx.block.burnTime <= time);
  return filters;
}

/** Ascending; equals stay in chain order. */
function sorted(txs: readonly Tx[], by: string | null): Tx[] {
  if (by === 'fee') return txs.toSorted((a, b) => compare(feeOf(a.decoded), feeOf(b.decoded)));
  if (by === 'burn_block_time') return txs.toSorted((a, b) => a.block.burnTime - b.block.burnTime);
  return [...txs];
}

export const compare = (a: bigint | number | string, b: bigint | number | string): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** getRawTransactionByIdV1: every transaction ever seen, canonical or not, pending or dropped, or in microblocks that stood on no tip. */
function rawTransaction(world: World, { id = '' }: Readonly<Record<string, string>>): ApiResponse {
  const txId = `0x${id.replace(/^0x/, '').toLowerCase()}`;
  const found = [...everSeen(world), ...world.mempool, ...world.streamedBytes].find(tx => tx.txId === txId);
  return found ? ok({ raw_tx: found.raw }) : failed(404);
}

/** getUnanchoredTxsV1: the newest first. */
function unanchoredTransactions(world: World): ApiResponse {
  const results = world.unanchored.map(tx => transactionRecord(world, tx)).reverse();
  return ok({ total: results.length, results });
}

export const transactionRoutes: readonly Route[] = [
  { template: '/extended/v1/tx', respond: transactions },
  { template: '/extended/v1/tx/{id}/raw', respond: rawTransaction },
  { template: '/extended/v1/microblock/unanchored/txs', respond: unanchoredTransactions },
];
