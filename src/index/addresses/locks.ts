/**
 * The lock of an account as searchByIdV1 shows it (docs/spec/addresses.md#locks). The burn height of the tip decides which lock is in
 * force, so the index keeps every lock that may still come into force. These are few, as a longer and later lock makes earlier ones
 * irrelevant. Of PoX 5 it keeps only the newest.
 */

/** Lock events report locks of PoX 1 and 5; prints of the contracts report those of PoX 2 to 4. */
export type PoxVersion = 1 | 2 | 3 | 4 | 5;

/** An event that sets or ends the lock of an account. */
export interface LockEvent {
  readonly txId: string;
  /** Micro-STX, decimal. */
  readonly locked: string;
  /** Burn height at which the lock ends. */
  readonly unlockHeight: number;
  /** Stacks height. */
  readonly height: number;
  /** Burn height of that block; 0 while only a microblock has it. */
  readonly burnHeight: number;
  /** True for `handle-unlock`, which ends the lock once its height is past. */
  readonly ends: boolean;
}

/** The lock events of one account, oldest first. */
export type LocksByPoxVersion = Readonly<Partial<Record<PoxVersion, readonly LockEvent[]>>>;

/** Most events of an account: an attacker could pile up delegations of ever shorter terms, so only the newest are kept. */
const MAX_EVENTS = 32;

/** Adds the newest event of an account. @param burnHeight of the block it is in; -1 while no block has it */
export function addLockEvent(
  locks: LocksByPoxVersion,
  version: PoxVersion,
  event: LockEvent,
  burnHeight: number,
): LocksByPoxVersion {
  if (version === 5) return { ...locks, 5: [event] };
  const relevant = (locks[version] ?? []).filter(older => !isSuperseded(older, event, burnHeight));
  return { ...locks, [version]: [...relevant, event].slice(-MAX_EVENTS) };
}

/** True if `older` can never be in force while `newer` is not. */
function isSuperseded(older: LockEvent, newer: LockEvent, burnHeight: number): boolean {
  if (newer.ends && newer.unlockHeight < burnHeight) return true;
  if (older.ends) return newer.ends && newer.unlockHeight <= older.unlockHeight;
  return older.unlockHeight < burnHeight || (!newer.ends && newer.unlockHeight >= older.unlockHeight);
}
