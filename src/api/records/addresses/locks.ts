import type { LockEvent, Locks, PoxVersion } from '../../../index/addresses/locks.ts';

/**
 * The lock in force at a burn height; undefined without a lock. One of PoX 5 wins over those of earlier versions; when
 * it has ended, older ones of PoX 5 do not come back.
 * @param forcedUnlocks burn heights at which the locks of PoX 1, 2, 3 and 4 end by force, null while not known
 */
export const lockAt = (
  locks: Locks,
  burnHeight: number,
  forcedUnlocks: readonly (number | null)[],
): LockEvent | undefined => versionedLockAt(locks, burnHeight, forcedUnlocks)?.event;

/** The same with its version. */
export function versionedLockAt(
  locks: Locks,
  burnHeight: number,
  forcedUnlocks: readonly (number | null)[],
): { readonly event: LockEvent; readonly version: PoxVersion } | undefined {
  const newest = locks[5]?.at(-1);
  if (newest && newest.unlockHeight >= burnHeight) return { event: newest, version: 5 };
  let lock: { readonly event: LockEvent; readonly version: PoxVersion } | undefined;
  for (const version of [1, 2, 3, 4] as const) {
    const forced = forcedUnlocks[version - 1];
    if (forced && burnHeight > forced) continue;
    const latest = locks[version]?.findLast(event => event.ends === event.unlockHeight < burnHeight);
    if (latest) lock = latest.ends ? undefined : { event: latest, version };
  }
  return lock;
}
