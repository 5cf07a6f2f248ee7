/** Packs and reads the stored columns about principals: counts of events, sums, and locks. Other files must not parse them. */
import { packAmounts, unpackAmounts } from '../../base/lib/number-bytes.ts';
import type { LockEvent, LocksByPoxVersion } from './locks.ts';

/** Numbers of events. */
interface CountsByAction {
  readonly transfer: number;
  readonly mint: number;
  readonly burn: number;
}

/** Numbers of events that touch a principal, by asset. */
export interface EventCounts {
  readonly stx: CountsByAction;
  readonly ft: CountsByAction;
  readonly nft: CountsByAction;
}

/**
 * The text of a column `counts` of ADDRESS_TXS, which is null if all counts are zero. Nine numbers separated by commas; zeros are empty, and those at the
 * end are cut: most principals have one event, so `,,,1` is one transfer of a fungible token.
 */
export function packEventCounts({ stx, ft, nft }: EventCounts): string {
  const counts = [
    ...[stx.transfer, stx.mint, stx.burn],
    ...[ft.transfer, ft.mint, ft.burn],
    ...[nft.transfer, nft.mint, nft.burn],
  ];
  const last = counts.findLastIndex(count => count !== 0);
  return counts
    .slice(0, last + 1)
    .map(count => (count === 0 ? '' : String(count)))
    .join(',');
}

/** The counts of a column `counts` of ADDRESS_TXS. */
export function readEventCounts(text: string | null): EventCounts {
  const counts = (text ?? '').split(',').map(Number);
  const from = (first: number): CountsByAction => ({
    transfer: counts[first] ?? 0,
    mint: counts[first + 1] ?? 0,
    burn: counts[first + 2] ?? 0,
  });
  return { stx: from(0), ft: from(3), nft: from(6) };
}

/** Totals that a principal has received and sent by events, and paid in fees. Micro-STX. */
interface StxTotals {
  readonly received: bigint;
  readonly sent: bigint;
  readonly fees: bigint;
}

/** The bytes of a column `totals` of ADDRESS_TXS. */
export const packStxTotals = ({ received, sent, fees }: StxTotals): Uint8Array => packAmounts([received, sent, fees]);

export function readStxTotals(totals: Uint8Array): StxTotals {
  const [received = 0n, sent = 0n, fees = 0n] = unpackAmounts(totals);
  return { received, sent, fees };
}

type PackedLock = readonly [
  ...[txId: string, locked: string, unlock: number, height: number, burnHeight: number],
  ends: 0 | 1,
];

/** The text of a column `locks` of LOCKS and LOCK_CHANGES. */
export function packLocks(locks: LocksByPoxVersion): string {
  const packed = Object.entries(locks).map(([version, events]) => [
    version,
    events.map((e): PackedLock => [e.txId, e.locked, e.unlockHeight, e.height, e.burnHeight, e.ends ? 1 : 0]),
  ]);
  return JSON.stringify(Object.fromEntries(packed));
}

/** The locks that packLocks packed. */
export function readLocks(text: string): LocksByPoxVersion {
  const packed = Object.entries(JSON.parse(text) as Record<string, PackedLock[]>).map(([version, events]) => [
    version,
    events.map(([txId, locked, unlockHeight, height, burnHeight, ends]): LockEvent => {
      return { txId, locked, unlockHeight, height, burnHeight, ends: ends === 1 };
    }),
  ]);
  return Object.fromEntries(packed);
}
