import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { unpackLocks } from '../../../index/addresses/locks.ts';
import { LOCKS, LOCKS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import type { LOCK_EVENTS } from '../../../index/events/tables.ts';
import { poxContract } from '../../../index/pox/prints.ts';
import { readStoredPoxEvent } from '../../../index/pox/stored.ts';
import { POX_EVENTS } from '../../../index/pox/tables.ts';
import { unpackEvents } from '../../../index/transactions/events.ts';
import type { TX_BODIES } from '../../../index/transactions/tables.ts';
import { type Check, wrong } from '../check.ts';
import { compareLengths, lengthKey } from '../compare-lengths.ts';
import { pagedRows, tableRows } from '../pages.ts';
import { recordedTransactions } from './sources.ts';

const RECOUNTED = [LOCKS_OF_ADDRESS];

export const lockChangesCheck: Check = {
  name: 'changes of locks',
  proves:
    'the locks of every principal changed as often as in the lock events of PoX 1 and 5 and the prints of PoX 2 to 4',
  recounts: RECOUNTED,
  async *run({ index, newMap }) {
    const counts = newMap();
    for await (const principal of lockedByEvents(index)) await counts.add(lengthKey(LOCKS_OF_ADDRESS, principal), 1);
    for await (const principal of lockedByPrints(index)) await counts.add(lengthKey(LOCKS_OF_ADDRESS, principal), 1);
    yield* compareLengths(counts, RECOUNTED, index);
  },
};

/** Nodes before 2.1 name no contract: there was only PoX 1. */
const TOLD_BY_EVENTS: ReadonlySet<string | null | undefined> = new Set([null, 'pox', 'pox-5']);
const TOLD_BY_PRINTS: ReadonlySet<string> = new Set(['pox-2', 'pox-3', 'pox-4']);

type LockRow = RowOf<typeof LOCK_EVENTS> & OuterRowOf<typeof TX_BODIES, 'events'>;

async function* lockedByEvents(index: Queries): AsyncIterable<string> {
  for await (const { event_index, events } of pagedRows<LockRow>(index, {
    sql: 'SELECT e.list, e.seq, e.tx, e.event_index, b.events FROM lock_events e LEFT JOIN tx_bodies b ON b.seq = e.tx',
    key: ['list', 'seq'],
    alias: 'e',
    pageSize: 200,
  })) {
    const event = unpackEvents(events)[event_index];
    if (event?.kind === 'stx_lock' && TOLD_BY_EVENTS.has(event.contractId && poxContract(event.contractId)))
      yield event.address;
  }
}

/** The operations that set or end a lock. */
const LOCKING: ReadonlySet<string> = new Set([
  'handle-unlock',
  'stack-stx',
  'stack-increase',
  'stack-extend',
  'delegate-stack-stx',
  'delegate-stack-increase',
  'delegate-stack-extend',
]);

async function* lockedByPrints(index: Queries): AsyncIterable<string> {
  for await (const { contract, event } of tableRows(index, POX_EVENTS, ['contract', 'event'])) {
    if (event === null || !TOLD_BY_PRINTS.has(contract)) continue;
    const { name, stacker } = readStoredPoxEvent(event);
    if (LOCKING.has(name)) yield stacker;
  }
}

export const stakingLocksCheck: Check = {
  name: 'locks of PoX 5',
  proves: 'the lock of PoX 5 of every account is that of its newest lock event',
  async *run({ index, newMap }) {
    const locks = newMap();
    for await (const { tx, events } of recordedTransactions(index))
      for (const event of events)
        if (event.kind === 'stx_lock' && CONTRACT.test(event.contractId ?? ''))
          await locks.set(event.address, `${tx.txId} ${event.lockedAmount} ${event.unlockHeight}`);
    for await (const { principal, locks: text } of tableRows(index, LOCKS, ['locks'])) {
      const { 5: kept = [] } = unpackLocks(text);
      const found =
        kept.length === 0 ? undefined : kept.map(lock => `${lock.txId} ${lock.locked} ${lock.unlockHeight}`).join(', ');
      const expected = await locks.take(principal);
      if (found !== expected)
        yield wrong(
          `locks: PoX 5 locks ${found ?? 'nothing'} of ${principal}, its events say ${expected ?? 'nothing'}`,
        );
    }
    for await (const [principal, lock] of locks.entries())
      yield wrong(`locks: ${principal} is missing, its events say ${lock}`);
  },
};

const CONTRACT = /^S[PT]0{12,}[0-9A-Z]+\.pox-5$/;
