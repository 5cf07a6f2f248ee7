import type { BlockFacts } from '../../chain/block-facts.ts';
import type { EventFacts } from '../../chain/event-facts.ts';
import type { Projection } from '../../indexer/projection.ts';
import type { Unit } from '../../indexer/unit.ts';
import type { Workspace } from '../../indexer/workspace.ts';
import { firstPositionOf } from '../transactions/queries.ts';
import { LOCK_EVENTS_OF } from './tables.ts';

type Lock = Extract<EventFacts, { kind: 'stx_lock' }>;

/** Events that lock STX, in chain order (getFilteredEvents). */
export const eventsProjection: Projection = {
  name: 'events',
  stateTables: [],
  keptTables: [],
  lists: [LOCK_EVENTS_OF],

  async prepare(block: BlockFacts, workspace: Workspace) {
    const locks = block.txs.flatMap(({ events }, at) => events.filter(isLock).map(lock => ({ at, lock })));
    if (locks.length === 0) return () => {};
    await workspace.loadLists(LOCK_EVENTS_OF, new Set(locks.map(({ lock }) => lock.address)));
    return (unit: Unit) => {
      const first = firstPositionOf(unit, workspace);
      for (const { at, lock } of locks)
        workspace.append(LOCK_EVENTS_OF, lock.address, { tx: first + at, event_index: lock.index });
    };
  },
};

const isLock = (event: EventFacts): event is Lock => event.kind === 'stx_lock';
