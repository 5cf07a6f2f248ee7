import type { BlockFacts, TransactionFacts } from '../../chain/block-facts.ts';
import { type EventFacts, isAssetEvent } from '../../chain/event-facts.ts';
import type { Network } from '../../chain/network.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { EntryOf } from '../../indexer/tables.ts';
import type { Unit } from '../../indexer/unit.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { firstPositionOf } from '../transactions/queries.ts';
import { EVENTS_OF_ADDRESS, INBOUND_OF_ADDRESS } from './tables.ts';

/**
 * Events of every principal, and the STX that came to it with a memo (getAccountAssets, getAccountInbound). Runs after the
 * transactions.
 */
export const addressEventsProjection: Projection = {
  name: 'address_events',
  stateTables: [],
  keptTables: [],
  lists: [EVENTS_OF_ADDRESS, INBOUND_OF_ADDRESS],

  async prepare({ txs }: BlockFacts, workspace: Workspace, network: Network) {
    const events = txs.map(tx => tx.events.map(partiesOf));
    const inbound = txs.map(tx => inboundOf(tx, network));
    await Promise.all([
      workspace.loadLists(EVENTS_OF_ADDRESS, new Set(events.flat(2))),
      workspace.loadLists(INBOUND_OF_ADDRESS, new Set(inbound.flat().map(({ recipient }) => recipient))),
    ]);
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      for (const [i, ofTx] of events.entries())
        for (const [event_index, principals] of ofTx.entries())
          for (const principal of principals)
            workspace.append(EVENTS_OF_ADDRESS, principal, { tx: first + i, event_index });
      for (const [i, ofTx] of inbound.entries())
        for (const { recipient, ...entry } of ofTx)
          workspace.append(INBOUND_OF_ADDRESS, recipient, { tx: first + i, ...entry });
    };
  },
};

/** Whom an event moves an asset from or to, or whose STX it locks; one on both sides counts once. */
function partiesOf(event: EventFacts): string[] {
  if (event.kind === 'stx_lock') return [event.address];
  if (!isAssetEvent(event)) return [];
  return [...new Set([event.sender, event.recipient])].filter(party => party !== null);
}

type Inbound = Omit<EntryOf<typeof INBOUND_OF_ADDRESS>, 'tx'> & { readonly recipient: string };

/**
 * What of a transaction is inbound, in the order of the list (docs/spec/addresses.md#inbound-stx): a token transfer, its status does not matter, then
 * events. As recorded, a transfer whose event has a memo is both.
 */
function inboundOf({ transaction: { payload }, events }: TransactionFacts, network: Network): Inbound[] {
  const inbound: Inbound[] = [];
  if (payload.kind === 'token_transfer') inbound.push({ recipient: payload.recipient, event_index: null, is_bulk: 0 });
  for (const event of events) {
    if (event.kind !== 'stx' || event.recipient === null) continue;
    const { recipient, index: event_index } = event;
    if (event.memo !== null) inbound.push({ recipient, event_index, is_bulk: 0 });
    const next = events[event_index + 1];
    if (next?.kind === 'log' && next.contractId === SEND_MANY[network])
      inbound.push({ recipient, event_index, is_bulk: 1 });
  }
  return inbound;
}

/** The contracts that wallets send to many with: they print a memo after each transfer. */
const SEND_MANY: Readonly<Record<Network, string>> = {
  mainnet: 'SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.send-many-memo',
  testnet: 'ST3F1X4QGV2SM8XD96X45M6RTQXKA1PZJZZCQAB4B.send-many-memo',
};
