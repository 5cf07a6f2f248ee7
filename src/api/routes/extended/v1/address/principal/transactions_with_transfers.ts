import { readTransaction } from '../../../../../../index/transactions/stored.ts';
import { type BodyPiece, bodyOf } from '../../../../../http/large-body.ts';
import { pageOf } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { readLongAsOf } from '../../../../../paging/as-of.ts';
import { page } from '../../../../../paging/page.ts';
import { type HistoryEntry, historyOf } from '../../../../../records/addresses/transactions-v1.ts';
import { MovesOfPrincipal, TransactionWithTransfersSchemaV1 } from '../../../../../records/addresses/transfers-v1.ts';
import { spanOf } from '../../../../../records/blocks/moment.ts';
import { eventsInTurns, firstEventsAt } from '../../../../../records/transactions/events.ts';
import type { ApiContext } from '../../../../context.ts';
import { HISTORY_FAILURES, HISTORY_PARAMS, historyOfBlockQuery } from './history.ts';

/** `/extended/v1/address/:principal/transactions_with_transfers` (docs/spec/addresses.md#histories-of-a-principal) */
export function addAccountTransfersRouteV1(api: Api, { longReads }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/transactions_with_transfers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAccountTransactionsWithTransfersV1',
        deprecated: true,
        summary: 'List the transactions of a principal with what they moved',
        description:
          'Newest first. Only the transfers, mints and burns from or to the principal are shown. What it has only sponsored is left out. With `height`, ' +
          'all of the block are listed.',
        tags: ['Addresses'],
        params: HISTORY_PARAMS,
        querystring: Type.Object(historyOfBlockQuery(50)),
        response: {
          200: pageOf(TransactionWithTransfersSchemaV1, 'TransactionsWithTransfersPage'),
          ...HISTORY_FAILURES,
        },
      },
    },
    async request => {
      const { limit, offset, height = 0 } = request.query;
      const { principal } = request.params;
      const slice = height === 0 ? { offset, limit } : { offset: 0, limit: Number.MAX_SAFE_INTEGER };
      return readLongAsOf(longReads, request, async (queries, budget) => {
        const span = await spanOf(queries, request.query);
        const found = await historyOf(queries, principal, 'without_transfers', { span, ...slice });
        const first = await firstEventsAt(
          queries,
          found.entries.map(({ tx }) => tx),
        );
        const pieces: BodyPiece[] = [];
        for (const entry of inOrderOfBlocks(found.entries)) {
          const moves = new MovesOfPrincipal(principal);
          const ofTransaction = { tx: entry.tx, first: first.get(entry.tx) ?? [] };
          for await (const events of eventsInTurns(queries, budget, ofTransaction, 'desc')) moves.add(events);
          if (pieces.length > 0) pieces.push(',');
          for (const piece of moves.withTransfersV1(entry)) pieces.push(piece);
        }
        const empty = page({ limit, offset, total: found.total }, []);
        return bodyOf([empty.slice(0, -END.length), ...pieces, END]);
      });
    },
  );
}

/** Of a page. */
const END = ']}';

/** By height and number in the block, the newest first, as recorded: microblocks do not count. */
function inOrderOfBlocks(entries: readonly HistoryEntry[]): HistoryEntry[] {
  return entries
    .map(entry => ({ entry, at: readTransaction(entry.record) }))
    .sort((a, b) => b.at.blockHeight - a.at.blockHeight || b.at.txIndex - a.at.txIndex)
    .map(({ entry }) => entry);
}
