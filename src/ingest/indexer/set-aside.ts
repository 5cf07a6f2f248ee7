import type { Logger } from 'pino';
import { AppError } from '../../base/lib/app-error.ts';
import type { DatabaseTransaction, Queries } from '../../base/store/database.ts';
import { FatalDatabaseError, isDatabaseError } from '../../base/store/errors.ts';
import { deleteRows, type RowOf, table, upsertRows } from '../../base/store/table.ts';
import type { KnownBlock } from '../chain/fork-choice.ts';
import type { SetAsideEntry, SetAsideSummary } from '../chain/unapplied.ts';
import type { JournalEntry } from '../journal/entries.ts';
import type { Journal } from '../journal/journal.ts';
import { IndexMismatch } from './chain-id.ts';
import { forgetRebuilt } from './rebuilt-blocks.ts';

/**
 * Journal entries that the index skips, because their content is impossible or applying them failed. The index holds no data of them,
 * the journal keeps them, and the indexer continues with other entries. The children of a skipped block lack their parent.
 *
 * The table also lists canonical blocks without transactions that the chain has already. Such a block is in the index, and undoing the
 * block removes its row.
 */
export const SET_ASIDE = table({
  name: 'set_aside',
  columns: {
    /** Position of the entry in the journal. */
    position: 'int',
    path: 'text',
    reason: 'text',
    /** When the event was received, in microseconds since 1970. */
    received_at: 'int',
  },
  key: ['position'],
});

type SetAsideRow = RowOf<typeof SET_ASIDE>;

/** An entry failed while another was being applied: it had come earlier, and was waiting. */
export class EntryFailed extends AppError {
  override readonly name = 'EntryFailed';
  override readonly kind = 'caller';
  readonly position: number;

  constructor(position: number, cause: unknown) {
    super(reasonOf(cause), { cause });
    this.position = position;
  }
}

/** Runs work whose failures are caused by this journal entry. @throws EntryFailed; unrelated errors as they are */
export async function blaming<T>(position: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOfEntry(error) ? new EntryFailed(position, error) : error;
  }
}

/**
 * Whether the entry caused the error, not the database: then it fails again, but another entry may not. The database refuses some values and rows: the
 * entry causes these errors too. A missing dropped payload is not caused by the entry: without the entry, the index would stay on a branch that has lost.
 */
export function isOfEntry(error: unknown): boolean {
  if (error instanceof IndexMismatch) return false;
  if (!isDatabaseError(error)) return true;
  return error instanceof FatalDatabaseError && REFUSED.has(error.code);
}

const REFUSED: ReadonlySet<FatalDatabaseError['code']> = new Set(['INVALID_VALUE', 'CONSTRAINT']);

const MAX_REASON_LENGTH = 500;

/** The message of an error, as a text that both engines can store. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MAX_REASON_LENGTH).replaceAll('\0', '').toWellFormed();
}

/** The parts of a session that setting aside needs. */
interface SettingAside {
  readonly tx: DatabaseTransaction;
  readonly logger: Logger;
}

/** Records that the index skips this entry. The caller must have removed its data from the index. */
export async function setEntryAside(
  { tx, logger }: SettingAside,
  { seq: position, path, receivedAt }: Pick<JournalEntry, 'seq' | 'path' | 'receivedAt'>,
  reason: string,
): Promise<void> {
  logger.error({ position, path, reason }, 'event set aside: see docs/operations.md#events-that-are-set-aside');
  await forgetRebuilt(tx, position);
  await upsertRows(tx, SET_ASIDE, [{ position, path, reason: reasonOf(reason), received_at: receivedAt }]);
}

/** As setEntryAside, for an earlier entry. */
export async function setEarlierAside(
  session: SettingAside & { readonly journal: Journal },
  position: number,
  reason: string,
): Promise<void> {
  const entry = await session.journal.entry(position);
  if (entry) await setEntryAside(session, entry, reason);
}

/** Most ids in a reason. */
const NAMED_IDS = 5;

/** Records that a block was applied without some of its transactions. @param txIds 0x hex */
export async function noteLeftOut(
  { tx, logger, journal }: SettingAside & { readonly journal: Journal },
  { journalSeq: position, height }: Pick<KnownBlock, 'journalSeq' | 'height'>,
  txIds: readonly string[],
): Promise<void> {
  const entry = await journal.entry(position);
  if (!entry) return;
  const more = txIds.length > NAMED_IDS ? ` and ${txIds.length - NAMED_IDS} more` : '';
  const reason = `applied without transactions that the chain has already: ${txIds.slice(0, NAMED_IDS).join(', ')}${more}`;
  logger.warn({ position, height, leftOut: txIds.length, reason }, 'transactions left out: the chain has them already');
  await upsertRows(tx, SET_ASIDE, [{ position, path: entry.path, reason, received_at: entry.receivedAt }]);
}

/** Forgets that an entry was set aside: it is about to be applied, or a block without some transactions was undone. */
export function takeUp(tx: DatabaseTransaction, position: number): Promise<void> {
  return deleteRows(tx, SET_ASIDE, [{ position }]);
}

export async function isSetAside(queries: Queries, position: number): Promise<boolean> {
  return (await queries.get('SELECT 1 AS found FROM set_aside WHERE position = ?', [position])) !== undefined;
}

const COLUMNS = 'position, path, reason, received_at';

/** The skipped entries after a position, in the order of the journal. */
export async function readSetAside(queries: Queries, after: number, limit: number): Promise<SetAsideEntry[]> {
  const sql = `SELECT ${COLUMNS} FROM set_aside WHERE position > ? ORDER BY position LIMIT ?`;
  return (await queries.all<SetAsideRow>(sql, [after, limit])).map(toEntry);
}

export async function summaryOfSetAside(queries: Queries): Promise<SetAsideSummary> {
  const newest = await queries.get<SetAsideRow>(`SELECT ${COLUMNS} FROM set_aside ORDER BY position DESC LIMIT 1`);
  if (!newest) return { count: 0, newest: null };
  const all = await queries.get<{ count: number }>('SELECT count(*) AS count FROM set_aside');
  return { count: all?.count ?? 1, newest: toEntry(newest) };
}

const toEntry = ({ position, path, reason, received_at }: SetAsideRow): SetAsideEntry => ({
  position,
  path,
  reason,
  receivedAt: received_at,
});
