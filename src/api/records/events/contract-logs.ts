import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type CONTRACT_LOGS, LOGS_BY_CONTRACT } from '../../../index/contracts/tables.ts';
import { findList, type List } from '../../../ingest/indexer/lists.ts';
import { entriesUpTo } from '../../paging/event-lists.ts';
import { chainPositionsOf, countUpTo } from '../../paging/place.ts';

/** A page of the prints of a contract, and the cursors of other pages. */
interface ContractLogs {
  readonly total: number;
  /** JSON texts. */
  readonly records: readonly string[];
  /** Of the page nearer the tip, if it is a full one; else null. */
  readonly next: string | null;
  /** Of the page nearer genesis. */
  readonly previous: string | null;
  /** Of this page: its first log. */
  readonly cursor: string | null;
}

interface LogsQuery {
  readonly limit: number;
  readonly offset: number;
  /** `height:microblock sequence:tx index:event index`, each in digits. */
  readonly cursor?: string;
}

const NOTHING: ContractLogs = { total: 0, records: [], next: null, previous: null, cursor: null };

/**
 * The prints of a contract, newest first: a seek, whatever the offset; a cursor is found by halving
 * (docs/spec/contracts.md#contract-logs). Undefined for a cursor that names no log.
 */
export async function contractLogs(
  queries: Queries,
  contractId: string,
  { limit, offset, cursor }: LogsQuery,
): Promise<ContractLogs | undefined> {
  const list = await findList(queries, LOGS_BY_CONTRACT, contractId);
  const newest = list ? (cursor === undefined ? list.length : await countUpToCursor(queries, list, cursor)) - 1 : -1;
  const first = newest - offset;
  if (!list || first < 0) return cursor === undefined ? { ...NOTHING, total: list?.length ?? 0 } : undefined;
  const rows = await queries.all<RowOf<typeof CONTRACT_LOGS, 'record'>>(
    'SELECT record FROM contract_logs WHERE list = ? AND seq <= ? AND seq > ? ORDER BY seq DESC',
    [list.id, first, first - limit],
  );
  const cursors = await cursorsAt(queries, list, [first + limit, first - limit, first]);
  return {
    total: list.length,
    records: rows.map(({ record }) => record),
    next: cursors.get(first + limit) ?? null,
    previous: cursors.get(first - limit) ?? null,
    cursor: cursors.get(first) ?? null,
  };
}

type Entry = RowOf<typeof CONTRACT_LOGS, 'seq' | 'tx' | 'event_index'>;

/** The cursors of the pages that begin with these entries of a list, by position. */
async function cursorsAt(queries: Queries, list: List, positions: readonly number[]): Promise<Map<number, string>> {
  const entries = await queries.all<Entry>(
    `SELECT seq, tx, event_index FROM contract_logs WHERE list = ? AND seq IN (${positions.map(() => '?').join(', ')})`,
    [list.id, ...positions],
  );
  const places = await chainPositionsOf(
    queries,
    entries.map(({ tx }) => tx),
  );
  return new Map(entries.map(({ seq, tx, event_index }) => [seq, [...(places.get(tx) ?? []), event_index].join(':')]));
}

/** The number of entries of a list up to the cursor's place, included; no entry needs to be at the place itself. */
async function countUpToCursor(queries: Queries, list: List, cursor: string): Promise<number> {
  // A number above the largest safe one is beyond every log anyway.
  const numbers = cursor.split(':').map(digits => Math.min(Number(digits), Number.MAX_SAFE_INTEGER));
  const [height = 0, sequence = 0, txIndex = 0, eventIndex = 0] = numbers;
  const tx = (await countUpTo(queries, [height, sequence, txIndex])) - 1;
  const [place] = (await chainPositionsOf(queries, [tx])).values();
  const isAt = place?.every((part, i) => part === numbers[i]);
  // Of a transaction before the place all logs count.
  return entriesUpTo(queries, LOGS_BY_CONTRACT, list, { tx, event_index: isAt ? eventIndex : Number.MAX_SAFE_INTEGER });
}
