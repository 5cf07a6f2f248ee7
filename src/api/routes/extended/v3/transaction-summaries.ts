import type { Span } from '../../../../base/lib/span.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { Type } from '../../../http/type.ts';
import { at } from '../../../paging/as-of.ts';
import { type CursorQuery, cursorPageOf, cursorPageOfRecords } from '../../../paging/cursor-page.ts';
import { PLACE_CURSOR } from '../../../paging/transaction-cursors.ts';
import { pageOfSpan, summariesV3 } from '../../../records/transactions/pages-v3.ts';
import { TransactionSummarySchemaV3 } from '../../../records/transactions/schema-v3.ts';
import { cursorQuery } from './list.ts';

/** The page of a list of transactions. */
export const TransactionSummariesPageV3 = cursorPageOf(TransactionSummarySchemaV3, 'TransactionSummariesPage');

/** The parameters of lists whose rows are transactions. @param example a cursor */
export const placeQuery = (example: string) =>
  Type.Object({
    ...cursorQuery(
      { maximum: 50, default: 20 },
      {
        pattern: PLACE_CURSOR,
        description: '`<block height>:<microblock sequence>:<index>`, or `<block height>:0:0` for all of that height',
        example,
      },
    ),
    at: at(),
  });

/** A page of the transactions in a span of the chain, as JSON text. */
export async function transactionSummariesV3(queries: Queries, span: Span, query: CursorQuery): Promise<string> {
  const page = await pageOfSpan(queries, span, query);
  return cursorPageOfRecords(page, await summariesV3(queries, page.rows));
}
