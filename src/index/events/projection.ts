import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import type { Projection } from '../../ingest/indexer/projection.ts';
import type { Unit } from '../../ingest/indexer/unit.ts';
import type { Workspace } from '../../ingest/indexer/workspace.ts';
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
