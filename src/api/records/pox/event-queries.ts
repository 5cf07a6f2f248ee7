import type { Queries } from '../../../base/store/database.ts';
import { EVENTS_OF_CONTRACT, EVENTS_OF_STACKER, stackerList } from '../../../index/pox/tables.ts';
import { endOfBlocks } from '../../../ingest/indexer/horizon.ts';
import { findList, type List, positionsOf } from '../../../ingest/indexer/lists.ts';
import { type PoxEventRow, poxEventV1 } from './event-record.ts';

const FIELDS = 'e.height, e.tx_id, e.tx_index, e.event_index, e.event';

/** A part of a list, the newest first. */
interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** A page of the events of a version of PoX, as JSON texts. @param contract such as `pox-4` */
export async function pageOfPoxEvents(queries: Queries, contract: string, part: Part): Promise<string[]> {
  return partOf(queries, await findList(queries, EVENTS_OF_CONTRACT, contract), part);
}

/** Events of a stacker: their number, and a part of them as JSON texts. */
export async function eventsOfStacker(
  queries: Queries,
  contract: string,
  stacker: string,
): Promise<{ total: number; part: (part: Part) => Promise<string[]> }> {
  const list = await findList(queries, EVENTS_OF_STACKER, stackerList(contract, stacker));
  return { total: list?.length ?? 0, part: part => partOf(queries, list, part) };
}

async function partOf(queries: Queries, list: List | undefined, part: Part): Promise<string[]> {
  if (!list) return [];
  const { from, to } = positionsOf({ order: 'desc', ...part }, list.length);
  const rows = await queries.all<PoxEventRow>(
    `SELECT ${FIELDS} FROM pox_event_lists l JOIN pox_events e ON e.seq = l.event
      WHERE l.list = ? AND l.seq >= ? AND l.seq < ? ORDER BY l.seq DESC`,
    [list.id, from, to],
  );
  return rows.map(poxEventV1);
}

/** Events of a canonical transaction, the last first, as JSON texts. @param txId its bytes */
export async function poxEventsOfTransaction(queries: Queries, contract: string, txId: Uint8Array): Promise<string[]> {
  const rows = await queries.all<PoxEventRow>(
    `SELECT ${FIELDS} FROM pox_events e
      WHERE e.tx_id = ? AND e.contract = ? AND e.height <= ? AND e.event IS NOT NULL ORDER BY e.seq DESC`,
    [txId, contract, endOfBlocks(queries)],
  );
  return rows.map(poxEventV1);
}
