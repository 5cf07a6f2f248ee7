import type { BlockFacts, TransactionFacts } from '../../ingest/chain/block-facts.ts';
import { type EventFacts, isAssetEvent, partiesOf } from '../../ingest/chain/event-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { EntryOf } from '../../ingest/indexer/tables.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { isSendMany } from './members.ts';
import { EVENTS_OF_ADDRESS, INBOUND_OF_ADDRESS, STX_FROM_ADDRESS, STX_TO_ADDRESS } from './tables.ts';

/**
 * Events of every principal, its outgoing and incoming STX, and its incoming STX with a memo. Runs after the transactions.
 */
export const addressEventsProjection: Projection = {
  name: 'address_events',
  stateTables: [],
  keptTables: [],
  lists: [EVENTS_OF_ADDRESS, STX_TO_ADDRESS, STX_FROM_ADDRESS, INBOUND_OF_ADDRESS],

  prepare({ txs }: BlockFacts, workspace: Workspace, network: Network) {
    const names = new Map<Entry['kind'], Set<string>>(EVENT_LISTS.map(kind => [kind, new Set()]));
    for (const { events } of txs)
      for (const event of events) for (const { kind, principal } of entriesOf(event)) names.get(kind)?.add(principal);
    for (const [kind, principals] of names) workspace.loadLists(kind, principals);
    const inbound = txs.map(tx => inboundOf(tx, network));
    workspace.loadLists(INBOUND_OF_ADDRESS, new Set(inbound.flat().map(({ recipient }) => recipient)));
    return async (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      // Computes the entries again, since a block may have more than a million of them.
      for (const [i, { events }] of txs.entries())
        for (const event of events) {
          for (const { kind, principal, event_index } of entriesOf(event))
            workspace.append(kind, principal, { tx: first + i, event_index });
          if (event.index % EVENTS_AT_ONCE === EVENTS_AT_ONCE - 1) await workspace.spillMany();
        }
      for (const [i, ofTx] of inbound.entries())
        for (const { recipient, ...entry } of ofTx)
          workspace.append(INBOUND_OF_ADDRESS, recipient, { tx: first + i, ...entry });
    };
  },
};

/** Events of a transaction after which pending entries are written, if there are many. */
const EVENTS_AT_ONCE = 1_000;

/** The lists whose entries are events. */
const EVENT_LISTS = [EVENTS_OF_ADDRESS, STX_TO_ADDRESS, STX_FROM_ADDRESS] as const;

interface Entry {
  readonly kind: (typeof EVENT_LISTS)[number];
  readonly principal: string;
  readonly event_index: number;
}

/** The entries of an event, in all its lists. */
function entriesOf(event: EventFacts): Entry[] {
  const { index: event_index } = event;
  const entries: Entry[] = touchedBy(event).map(principal => ({ kind: EVENTS_OF_ADDRESS, principal, event_index }));
  if (event.kind !== 'stx') return entries;
  const { recipient, sender } = event;
  if (recipient !== null) entries.push({ kind: STX_TO_ADDRESS, principal: recipient, event_index });
  if (sender !== null) entries.push({ kind: STX_FROM_ADDRESS, principal: sender, event_index });
  return entries;
}

/** The principals that an event moves an asset from or to, or whose STX it locks. */
function touchedBy(event: EventFacts): string[] {
  if (event.kind === 'stx_lock') return [event.address];
  return isAssetEvent(event) ? partiesOf(event) : [];
}

type Inbound = Omit<EntryOf<typeof INBOUND_OF_ADDRESS>, 'tx'> & { readonly recipient: string };

/**
 * The inbound STX of a transaction, in the order of the list (docs/spec/addresses.md#inbound-stx): a token transfer of any status, then events. As
 * recorded, a transfer whose event has a memo is in the list twice.
 */
function inboundOf({ transaction: { payload }, events }: TransactionFacts, network: Network): Inbound[] {
  const inbound: Inbound[] = [];
  if (payload.kind === 'token_transfer') inbound.push({ recipient: payload.recipient, event_index: null, is_bulk: 0 });
  for (const event of events) {
    if (event.kind !== 'stx' || event.recipient === null) continue;
    const { recipient, index: event_index } = event;
    if (event.memo !== null) inbound.push({ recipient, event_index, is_bulk: 0 });
    const next = events[event_index + 1];
    if (isSendMany(next, network)) inbound.push({ recipient, event_index, is_bulk: 1 });
  }
  return inbound;
}
