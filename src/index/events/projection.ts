import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
import { LOGS_BY_CONTRACT } from '../contracts/tables.ts';
import { eventV1 } from '../transactions/event-v1.ts';
import { firstPositionOf } from '../transactions/positions.ts';
import { FT_EVENTS_OF, LOCK_EVENTS_OF } from './tables.ts';

type Lock = Extract<EventFacts, { kind: 'stx_lock' }>;
type Ft = Extract<EventFacts, { kind: 'ft' }>;

/** Events that lock STX (getFilteredEventsV1), and those that move fungible tokens (getFtTransfersV3), in chain order. */
export const eventsProjection: Projection = {
  name: 'events',
  stateTables: [],
  keptTables: [],
  lists: [LOCK_EVENTS_OF, FT_EVENTS_OF],

  prepare(block: BlockFacts, workspace: Workspace) {
    const listed = block.txs.flatMap(({ events }, at) => events.filter(isListed).map(event => ({ at, event })));
    if (listed.length === 0) return undefined;
    const events = listed.map(({ event }) => event);
    workspace.loadLists(LOCK_EVENTS_OF, new Set(events.flatMap(event => (isLock(event) ? event.address : []))));
    workspace.loadLists(FT_EVENTS_OF, new Set(events.flatMap(event => (isLock(event) ? [] : event.asset))));
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      for (const { at, event } of listed) {
        const entry = { tx: first + at, event_index: event.index };
        if (isLock(event)) workspace.append(LOCK_EVENTS_OF, event.address, entry);
        else workspace.append(FT_EVENTS_OF, event.asset, entry);
      }
    };
  },
};

const isLock = (event: EventFacts): event is Lock => event.kind === 'stx_lock';
const isListed = (event: EventFacts): event is Lock | Ft => event.kind === 'ft' || isLock(event);

type Log = Extract<EventFacts, { kind: 'log' }>;

/** What contracts printed, in chain order (getContractEventsByIdV1). */
export const contractLogsProjection: Projection = {
  name: 'contract_logs',
  stateTables: [],
  keptTables: [],
  lists: [LOGS_BY_CONTRACT],

  prepare(block: BlockFacts, workspace: Workspace) {
    const logs = block.txs.flatMap(({ txId, events }, at) => events.filter(isLog).map(log => ({ txId, at, log })));
    workspace.loadLists(LOGS_BY_CONTRACT, new Set(logs.map(({ log }) => log.contractId)));
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      for (const { txId, at, log } of logs) {
        const record = JSON.stringify(eventV1(txId, log));
        workspace.append(LOGS_BY_CONTRACT, log.contractId, { tx: first + at, event_index: log.index, record });
      }
    };
  },
};

const isLog = (event: EventFacts): event is Log => event.kind === 'log';
