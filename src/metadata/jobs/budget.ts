import type { Transaction } from '../../store/database.ts';
import { METADATA_REFRESHES } from '../tables.ts';

const HOUR = 3_600_000;

/**
 * Books the next refresh of a contract: at once while it has had fewer than `perHour` in the last hour, else at the time when the
 * hour has room again. So a contract that announces all of its tokens again and again cannot take the worker for itself.
 * @returns Unix milliseconds
 */
export async function bookRefresh(tx: Transaction, contractId: string, perHour: number, now: number): Promise<number> {
  const row = await tx.get<{ booked_until: number }>(
    'SELECT booked_until FROM metadata_refreshes WHERE contract_id = ?',
    [contractId],
  );
  const { until, slot } = nextSlot(row?.booked_until ?? 0, perHour, now);
  await tx.upsertMany(METADATA_REFRESHES, [[contractId, until]]);
  return slot;
}

/** Every refresh takes 1/perHour of an hour; a booking may be at most an hour ahead of the clock to run at once. */
export function nextSlot(bookedUntil: number, perHour: number, now: number): { until: number; slot: number } {
  const until = Math.max(bookedUntil, now) + Math.ceil(HOUR / perHour);
  return { until, slot: Math.max(now, until - HOUR) };
}
