import type { RowOf } from '../../../base/store/table.ts';
import { unpackLocks } from '../../../index/addresses/locks.ts';
import type { LOCKS } from '../../../index/addresses/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { recordedTransactions } from './recorded-transactions.ts';

export const stakingLocksCheck: Check = {
  name: 'locks of PoX 5',
  proves: 'the lock of PoX 5 of every account is that of its newest lock event',
  run: context => withSpillingMap(locks => compare(locks, context)),
};

const CONTRACT = /^S[PT]0{12,}[0-9A-Z]+\.pox-5$/;

async function* compare(locks: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const { tx, events } of recordedTransactions(index))
    for (const event of events)
      if (event.kind === 'stx_lock' && CONTRACT.test(event.contractId ?? ''))
        await locks.set(event.address, `${tx.txId} ${event.lockedAmount} ${event.unlockHeight}`);
  for await (const { principal, locks: text } of pagedRows<RowOf<typeof LOCKS>>(index, {
    sql: 'SELECT principal, locks FROM locks',
    key: ['principal'],
  })) {
    const { 5: kept = [] } = unpackLocks(text);
    const found =
      kept.length === 0 ? undefined : kept.map(lock => `${lock.txId} ${lock.locked} ${lock.unlockHeight}`).join(', ');
    const expected = await locks.take(principal);
    if (found !== expected)
      yield wrong(`locks: PoX 5 locks ${found ?? 'nothing'} of ${principal}, its events say ${expected ?? 'nothing'}`);
  }
  for await (const [principal, lock] of locks.entries())
    yield wrong(`locks: ${principal} is missing, its events say ${lock}`);
}
