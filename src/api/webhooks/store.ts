/**
 * Stores webhooks. Every change of a delivery applies only if the stored state is still the one it was computed from. So if two processes deliver at once,
 * the change of one of them fails.
 */
import { join } from 'node:path';
import { quoted } from '../../base/lib/app-error.ts';
import type { Database } from '../../base/store/database.ts';
import { type Location, openDatabase, parseLocation } from '../../base/store/open.ts';
import { insertRows, type RowOf } from '../../base/store/table.ts';
import type { AfterFailure } from './schedule.ts';
import { WEBHOOKS } from './tables.ts';
import { type Webhook, WebhookRefused } from './webhook.ts';

export type WebhookRow = RowOf<typeof WEBHOOKS>;

const SHOWN = 'id, url, topics, state, place, failures, error, run_after, created_at, delivered_at';

type ShownRow = Omit<WebhookRow, 'secret' | 'position' | 'body' | 'body_place' | 'failing_since'>;

/** All webhooks, the oldest first. */
export async function listWebhooks(db: Database): Promise<Webhook[]> {
  const rows = await db.read(queries => queries.all<ShownRow>(`SELECT ${SHOWN} FROM webhooks ORDER BY created_at, id`));
  return rows.map(row => ({
    ...row,
    topics: JSON.parse(row.topics) as string[],
    state: row.state === 'parked' ? 'parked' : 'active',
  }));
}

/** @throws WebhookRefused when the number of webhooks is at its limit */
export function addWebhook(db: Database, row: WebhookRow, maxHooks: number): Promise<void> {
  return db.write(async tx => {
    const { count = 0 } = (await tx.get<{ count: number }>('SELECT COUNT(*) AS count FROM webhooks')) ?? {};
    if (count >= maxHooks)
      throw new WebhookRefused(400, `there are ${count} webhooks, and may be ${maxHooks}`, 'Remove one first.');
    await insertRows(tx, WEBHOOKS, [row]);
  });
}

/** @throws WebhookRefused for an unknown id */
export async function removeWebhook(db: Database, id: string): Promise<void> {
  if ((await change(db, 'DELETE FROM webhooks WHERE id = ?', [id])) === 0) throw unknown(id);
}

/**
 * Resumes a parked webhook from its place; one that waits for a retry is tried at once. @throws WebhookRefused for an
 * unknown id
 */
export async function resumeWebhook(db: Database, id: string): Promise<void> {
  const sql = "UPDATE webhooks SET state = 'active', failures = 0, failing_since = NULL, run_after = 0 WHERE id = ?";
  if ((await change(db, sql, [id])) === 0) throw unknown(id);
}

/** Webhooks that are due. @param now Unix milliseconds */
export async function dueWebhooks(db: Database, now: number): Promise<string[]> {
  const rows = await db.read(queries =>
    queries.all<Pick<WebhookRow, 'id'>>(
      "SELECT id FROM webhooks WHERE state = 'active' AND run_after <= ? ORDER BY id",
      [now],
    ),
  );
  return rows.map(({ id }) => id);
}

/** The webhook, if it may be sent a batch now; otherwise undefined. */
export const dueWebhook = (db: Database, id: string, now: number): Promise<WebhookRow | undefined> =>
  db.read(queries =>
    queries.get<WebhookRow>("SELECT * FROM webhooks WHERE id = ? AND state = 'active' AND run_after <= ?", [id, now]),
  );

/** A batch read from an index, and the position of that index. */
interface LogReading {
  /** Token of the place after it. */
  readonly to: string;
  readonly position: number;
}

/** Moves the webhook past blocks without events for it. */
export async function advance(db: Database, { id, place }: WebhookRow, { to, position }: LogReading): Promise<void> {
  const sql = "UPDATE webhooks SET place = ?, position = ? WHERE id = ? AND COALESCE(place, '') = ? AND body IS NULL";
  await change(db, sql, [to, position, id, place ?? '']);
}

/** Stores a batch; it is sent unchanged until the receiver confirms it. */
export async function offer(
  db: Database,
  { id, place }: WebhookRow,
  body: string,
  { to, position }: LogReading,
): Promise<void> {
  const sql = 'UPDATE webhooks SET body = ?, body_place = ?, position = ? WHERE id = ? AND place = ? AND body IS NULL';
  await change(db, sql, [body, to, position, id, place]);
}

/** Records that the receiver confirmed the batch. @param now Unix milliseconds */
export async function confirm(db: Database, { id, body_place }: WebhookRow, now: number): Promise<void> {
  const sql = `UPDATE webhooks SET place = body_place, body = NULL, body_place = NULL, failures = 0, failing_since = NULL,
    error = NULL, run_after = 0, delivered_at = ? WHERE id = ? AND body_place = ?`;
  await change(db, sql, [now, id, body_place]);
}

/** Records that sending failed; the batch may or may not have arrived. */
export async function failed(db: Database, row: WebhookRow, error: string, after: AfterFailure): Promise<void> {
  const sql = `UPDATE webhooks SET state = ?, failures = ?, failing_since = ?, error = ?, run_after = ?
    WHERE id = ? AND body_place = ? AND failures = ?`;
  const state = after.isParked ? 'parked' : 'active';
  const { failures, failingSince, runAfter } = after;
  await change(db, sql, [state, failures, failingSince, error, runAfter, row.id, row.body_place, row.failures]);
}

const change = (db: Database, sql: string, params: readonly (string | number | null)[]): Promise<number> =>
  db.write(tx => tx.run(sql, params));

const unknown = (id: string) =>
  new WebhookRefused(404, `there is no webhook ${quoted(id)}`, 'stacks-index hooks lists them.');

export interface WebhooksLocation {
  readonly data: string;
  readonly database: string | undefined;
}

/** Location of the webhooks, whether there are any or not. */
function webhooksLocation({ data, database }: WebhooksLocation): Location {
  if (database !== undefined) return parseLocation({ database });
  return { kind: 'sqlite', file: join(data, 'hooks.sqlite'), durability: 'full' };
}

/** Opens the webhooks, and creates their table if it is missing. Throws the two database errors. */
export async function openWebhooksDb(place: WebhooksLocation): Promise<Database> {
  const db = openDatabase(webhooksLocation(place));
  try {
    await db.create([WEBHOOKS]);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
