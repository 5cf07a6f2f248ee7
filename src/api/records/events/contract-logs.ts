import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type CONTRACT_LOGS, LOGS_BY_CONTRACT } from '../../../index/contracts/tables.ts';
import { printText } from '../../../index/transactions/stored.ts';
import { findList } from '../../../ingest/indexer/lists.ts';
import { eventCursorsV2, placeOfEventCursor } from '../../paging/event-cursors.ts';
import { entriesUpTo } from '../../paging/event-lists.ts';
import { type OffsetCursorQuery, offsetCursorPage } from '../../paging/offset-cursor-page.ts';
import { page } from '../../paging/page.ts';

type Entry = RowOf<typeof CONTRACT_LOGS, 'seq' | 'tx' | 'event_index'>;

/**
 * A page of the prints of a contract, newest first: a seek, whatever the offset; a binary search finds a cursor
 * (docs/spec/contracts.md#contract-logs). As JSON text. Throws the ApiError of a cursor that names no log.
 */
export async function contractLogs(queries: Queries, contractId: string, query: OffsetCursorQuery): Promise<string> {
  const list = (await findList(queries, LOGS_BY_CONTRACT, contractId)) ?? { id: -1, length: 0 };
  const { envelope, rows } = await offsetCursorPage(
    {
      span: { from: 0, to: list.length },
      rows: (first, limit) =>
        queries.all<RowOf<typeof CONTRACT_LOGS, 'record'>>(
          'SELECT record FROM contract_logs WHERE list = ? AND seq <= ? AND seq > ? ORDER BY seq DESC',
          [list.id, first, first - limit],
        ),
      // There need not be an entry at the place of the cursor.
      numberOf: async cursor =>
        (await entriesUpTo(queries, LOGS_BY_CONTRACT, list, await placeOfEventCursor(queries, cursor))) - 1,
      cursorsAt: async positions => {
        const places = positions.map(() => '?').join(', ');
        const sql = `SELECT seq, tx, event_index FROM contract_logs WHERE list = ? AND seq IN (${places})`;
        return eventCursorsV2(queries, await queries.all<Entry>(sql, [list.id, ...positions]));
      },
    },
    query,
  );
  return page(
    envelope,
    rows.map(({ record }) => printText(record)),
  );
}
