import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { readLocks } from '../../../index/addresses/stored.ts';
import { type LOCK_CHANGES, LOCKS, LOCKS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { poxContract, poxPrints } from '../../../index/pox/prints.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows, tableRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type RecordedEvents, recordedEvents } from './sources.ts';

export const lockChangesCheck: Check = {
  name: 'changes of locks',
  proves:
    'the locks of every principal changed at the heights of the lock events of PoX 1 and 5 and of the prints of PoX 2 to 4, and the last change made what it has now',
  recounts: [LOCKS_OF_ADDRESS],
  run: context => withRecount(changes => compare(changes, context)),
};

async function* compare(changes: Recount, context: Context): AsyncIterable<Finding> {
  for await (const transaction of recordedEvents(context.index))
    for (const principal of lockedBy(transaction, context))
      await changes.add(LOCKS_OF_ADDRESS, principal, { height: transaction.height });
  yield* changes.compare([LOCKS_OF_ADDRESS], context.index);
  yield* compareNewest(context);
}

/** Contracts whose locks events report. Nodes before 2.1 name no contract: there was only PoX 1. */
const REPORTED_BY_EVENTS: ReadonlySet<string | null | undefined> = new Set([null, 'pox', 'pox-5']);
const REPORTED_BY_PRINTS: ReadonlySet<string> = new Set(['pox-2', 'pox-3', 'pox-4']);

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

/** The principals whose locks a transaction changes, once for each change. The changes of a block have one height, so their order is free. */
function* lockedBy({ txId, events }: RecordedEvents, { network }: Pick<Context, 'network'>): Iterable<string> {
  for (const event of events)
    if (event.kind === 'stx_lock' && REPORTED_BY_EVENTS.has(event.contractId && poxContract(event.contractId)))
      yield event.address;
  for (const { contract, event } of poxPrints({ txs: [{ txId, txIndex: 0, events }] }, network))
    if (event && REPORTED_BY_PRINTS.has(contract) && LOCKING.has(event.name)) yield event.stacker;
}

type Newest = RowOf<typeof LOCKS, 'principal' | 'locks'> & {
  readonly changed: OuterRowOf<typeof LOCK_CHANGES, 'locks'>['locks'];
};

async function* compareNewest({ index }: Context): AsyncIterable<Finding> {
  for await (const { principal, locks, changed } of pagedRows<Newest>(index, {
    sql: `SELECT k.principal, k.locks, c.locks AS changed
      FROM locks k
        LEFT JOIN lists l ON l.kind = ${LOCKS_OF_ADDRESS.code} AND l.name = k.principal
        LEFT JOIN lock_changes c ON c.list = l.id AND c.seq = l.length - 1`,
    key: ['principal'],
    alias: 'k',
  }))
    if (locks !== changed) yield wrong(`lock_changes: the last of ${principal} is not what it has now`);
}

export const stakingLocksCheck: Check = {
  name: 'locks of PoX 5',
  proves: 'the lock of PoX 5 of every account is that of its newest lock event',
  async *run({ index, newMap }) {
    const locks = newMap();
    for await (const { txId, events } of recordedEvents(index))
      for (const event of events)
        if (event.kind === 'stx_lock' && CONTRACT.test(event.contractId ?? ''))
          await locks.set(event.address, `${txId} ${event.lockedAmount} ${event.unlockHeight}`);
    for await (const { principal, locks: text } of tableRows(index, LOCKS, ['locks'])) {
      const { 5: ofPox5 = [] } = readLocks(text);
      const found =
        ofPox5.length === 0
          ? undefined
          : ofPox5.map(lock => `${lock.txId} ${lock.locked} ${lock.unlockHeight}`).join(', ');
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
