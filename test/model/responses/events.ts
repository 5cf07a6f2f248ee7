import { principalOf } from '../principals.ts';
import { eventRecord } from '../records/event.ts';
import { type ApiResponse, failed, numberOf, ok, type Route } from '../route.ts';
import type { Payload, World } from '../world.ts';

/** getFilteredEventsV1: of a transaction, or of a principal; the newest first. */
function events(world: World, _params: unknown, query: URLSearchParams): ApiResponse {
  const [id, given] = [query.get('tx_id'), query.get('address')];
  if ((id === null) === (given === null)) return failed(400);
  const principal = given === null ? undefined : principalOf(given);
  if (given !== null && principal === undefined) return failed(400);
  const limit = numberOf(query, 'limit', 20) || 20;
  const offset = numberOf(query, 'offset', 0);
  const types = query.getAll('type').flatMap(type => type.split(','));
  const txId = id === null ? undefined : `0x${id.replace(/^0x/, '').toLowerCase()}`;
  const found = world.txs
    .filter(tx => txId === undefined || tx.txId === txId)
    .flatMap(tx => tx.events.map(event => ({ event, record: eventRecord(tx, event) })))
    .filter(({ record }) => types.length === 0 || types.includes(String(record.event_type)))
    .filter(({ event }) => principal === undefined || concerns(event, principal))
    .reverse();
  return ok({ limit, offset, events: found.slice(offset, offset + limit).map(({ record }) => record) });
}

/** It moves or locks what the principal has, or is printed by it. */
function concerns(event: Payload, principal: string): boolean {
  const { sender, recipient, locked_address, contract_identifier } = event[event.type];
  if (event.type === 'contract_event') return contract_identifier === principal;
  if (event.type === 'stx_lock_event') return locked_address === principal;
  return sender === principal || recipient === principal;
}

export const eventRoutes: readonly Route[] = [{ template: '/extended/v1/tx/events', respond: events }];
