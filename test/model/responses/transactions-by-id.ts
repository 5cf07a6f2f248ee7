import { eventRecord } from '../records/event.ts';
import { mempoolRecord, transactionRecord } from '../records/transaction.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../route.ts';
import type { World } from '../world.ts';

/** getTransactionByIdV1: the confirmed one with events, else what the mempool knows, pending or dropped. */
function transaction(world: World, { id = '' }: Readonly<Record<string, string>>, query: URLSearchParams): ApiResponse {
  const found = detail(world, `0x${id.replace(/^0x/, '').toLowerCase()}`, query);
  return found ? ok(found) : failed(404);
}

/** Without `unanchored=true` one that only a microblock has is not confirmed: it waits, if the mempool has heard of it. */
function detail(world: World, txId: string, query: URLSearchParams): Record<string, unknown> | undefined {
  const withoutArgs = query.get('exclude_function_args') === 'true';
  const unanchored = query.get('unanchored') === 'true';
  const confirmed = world.txs.findLast(tx => tx.txId === txId && (unanchored || tx.block.hash !== '0x'));
  if (confirmed) {
    const limit = numberOf(query, 'event_limit', 20) || 20;
    const offset = numberOf(query, 'event_offset', 0);
    const events = confirmed.events.slice(offset, offset + limit).map(event => eventRecord(confirmed, event));
    return { ...transactionRecord(world, confirmed, { withoutArgs }), events };
  }
  const waiting = world.mempool.find(tx => tx.txId === txId);
  return waiting && isListed(world, txId, waiting.status) ? mempoolRecord(world, waiting, { withoutArgs }) : undefined;
}

/** What is mined is no matter of the mempool; in a microblock that stands on the tip it still is. */
const isListed = (world: World, txId: string, status: string): boolean =>
  status !== 'mined' || world.unanchored.some(tx => tx.txId === txId);

/** getTxListDetailsV1: as by id, under the id; one in upper case is not found as it was written. */
function several(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  const given = query.getAll('tx_id');
  const asked = (given.length > 1 ? given : (given[0] ?? '').split(',')).map(id => `0x${id.replace(/^0x/, '')}`);
  const found = asked.map(id => detail(world, id.toLowerCase(), query));
  return ok(
    Object.fromEntries([
      ...asked.map(id => [id, { found: false, result: { tx_id: id } }]),
      ...found.flatMap(result => (result ? [[result.tx_id, { found: true, result }]] : [])),
    ]),
  );
}

export const transactionByIdRoutes: readonly Route[] = [
  { template: '/extended/v1/tx/multiple', respond: several },
  { template: '/extended/v1/tx/{id}', respond: transaction },
];
