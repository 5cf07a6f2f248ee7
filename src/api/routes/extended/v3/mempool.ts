import type { TProperties } from 'typebox';
import { notFound } from '../../../http/errors.ts';
import { normalHash, txId } from '../../../http/params.ts';
import { amount, count, failure, hash, nullable, unixTime, word } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../paging/cursor-page.ts';
import { MOST_BLOCKS, MOST_TRANSACTIONS, mempoolBands } from '../../../records/mempool/bands.ts';
import { mempoolDrop } from '../../../records/mempool/drop.ts';
import { mempoolPosition } from '../../../records/mempool/position.ts';
import { MEMPOOL_STATUSES } from '../../../records/mempool/record.ts';
import { MempoolSummarySchemaV3 } from '../../../records/mempool/schema.ts';
import { STATS_TYPES } from '../../../records/mempool/stats.ts';
import { mempoolFiguresV3 } from '../../../records/mempool/summary-v3.ts';
import { pageOfWaiting, RECEIPT_CURSOR, waitingSummariesV3 } from '../../../records/mempool/transactions-v3.ts';
import { MempoolTransactionSummarySchemaV3 } from '../../../records/transactions/schema-v3.ts';
import type { ApiContext } from '../../context.ts';
import { DROPPED_TX_ID, PENDING_TX_ID, TX_ID } from '../../examples.ts';
import { cursorQuery, readList } from './list.ts';

/** A page of pending transactions. */
export const MempoolSummariesPageV3 = cursorPageOf(
  MempoolTransactionSummarySchemaV3,
  'MempoolTransactionSummariesPage',
);

/** The parameters of lists of pending transactions. */
export const receiptQuery = () =>
  Type.Object(
    cursorQuery(
      { maximum: 50, default: 20 },
      {
        pattern: RECEIPT_CURSOR,
        description: '`<time of receipt>:<transaction id>`',
        example: `1795098000:${TX_ID}`,
      },
    ),
  );

/** `/extended/v3/mempool` (docs/spec/mempool.md#version-3) */
export function addMempoolRoutesV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/mempool',
    {
      config: { cache: 'mempool', hot: true },
      schema: {
        operationId: 'getMempoolSummaryV3',
        summary: 'Get pending transactions in figures',
        description: 'In all and by type: how many, their fees and sizes, and since when they wait.',
        tags: ['Mempool'],
        response: { 200: MempoolSummarySchemaV3 },
      },
    },
    () => db.read(async queries => JSON.stringify(await mempoolFiguresV3(queries))),
  );

  api.get(
    '/extended/v3/mempool/transactions',
    {
      config: { cache: 'mempool', hot: true },
      schema: {
        operationId: 'getMempoolTransactionsV3',
        summary: 'List pending transactions',
        description: 'The last one received first.',
        tags: ['Mempool'],
        querystring: receiptQuery(),
        response: { 200: MempoolSummariesPageV3 },
      },
    },
    ({ query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await pageOfWaiting(queries, query);
        return cursorPageOfRecords(page, await waitingSummariesV3(queries, page));
      }),
  );

  api.get(
    '/extended/v3/mempool/bands',
    {
      config: { cache: 'mempool', hot: true, internal: true },
      schema: {
        operationId: 'getMempoolBandsV3',
        summary: 'Get pending and recently mined transactions by fee',
        description: 'Bands of fees, the highest first.',
        tags: ['Mempool'],
        response: { 200: MempoolBandsSchemaV3 },
      },
    },
    () => db.read(async queries => JSON.stringify(await mempoolBands(queries))),
  );

  api.get(
    '/extended/v3/mempool/transactions/:tx_id/position',
    {
      config: { cache: 'mempool', internal: true },
      schema: {
        operationId: 'getMempoolTransactionPositionV3',
        summary: 'Get the position of a pending transaction by fee',
        tags: ['Mempool'],
        params: Type.Object({ tx_id: txId(PENDING_TX_ID) }),
        response: { 200: MempoolPositionSchemaV3, 404: failure('No such transaction is pending') },
      },
    },
    ({ params: { tx_id } }) =>
      db.read(async queries => {
        const position = await mempoolPosition(queries, normalHash(tx_id));
        if (!position) throw notFound('Pending transaction not found');
        return JSON.stringify(position);
      }),
  );

  api.get(
    '/extended/v3/mempool/transactions/:tx_id/drop',
    {
      config: { cache: 'mempool', internal: true },
      schema: {
        operationId: 'getMempoolTransactionDropV3',
        summary: 'Get when and why a transaction was dropped',
        tags: ['Mempool'],
        params: Type.Object({ tx_id: txId(DROPPED_TX_ID) }),
        response: { 200: MempoolDropSchemaV3, 404: failure('No such transaction was dropped') },
      },
    },
    ({ params: { tx_id } }) =>
      db.read(async queries => {
        const drop = await mempoolDrop(queries, normalHash(tx_id));
        if (!drop) throw notFound('Dropped transaction not found');
        return JSON.stringify(drop);
      }),
  );
}

export const MempoolDropSchemaV3 = Type.Object(
  {
    tx_id: hash(),
    status: word(MEMPOOL_STATUSES.filter(status => status !== 'pending')),
    time: nullable(
      unixTime('When the message came by which its node dropped it'),
      'Null where no message did: another transaction took its nonce, or it was too old',
    ),
    replaced_by: nullable(hash(), 'The transaction that took its place'),
  },
  { title: 'MempoolDrop' },
);

const Rank = Type.Object(
  { rank: Type.Integer({ minimum: 1, examples: [41] }), total: Type.Integer({ minimum: 1, examples: [213] }) },
  { title: 'FeeRank', description: '1 is the highest fee; equal ones share a rank' },
);

export const MempoolPositionSchemaV3 = Type.Object(
  {
    tx_id: hash(),
    fee: Rank,
    fee_of_type: Rank,
    receipt_time: unixTime(),
    blocks_waited: count('Blocks since it was received'),
    forgotten_after: unixTime('A block later than that drops it, from epoch 3 on'),
  },
  { title: 'MempoolPosition' },
);

const byType = <P extends TProperties>(counts: P) => {
  const Counts = Type.Object(counts);
  return Type.Object(Object.fromEntries(STATS_TYPES.map(type => [type, Counts])));
};

const FeeBand = Type.Object(
  {
    from_fee: amount('The least fee of the band, in micro-STX'),
    below_fee: nullable(amount('The least one above it'), 'Null of the highest band'),
    waiting: byType({ count: count(), bytes: count('Of the serialised transactions') }),
    mined: byType({ count: count() }),
    waited: Type.Object(
      {
        count: count('Of those mined, how many a node had announced before'),
        median_blocks: nullable(
          count('Blocks from the announcement to the block that has it; 1: the next block'),
          'Null where none was announced',
        ),
      },
      { description: 'How long those that were mined had waited' },
    ),
  },
  { title: 'FeeBand' },
);

export const MempoolBandsSchemaV3 = Type.Object(
  {
    mined_in: Type.Object(
      { from_height: nullable(count(), 'Null while there is no block'), to_height: nullable(count()) },
      {
        description: `The blocks of what was mined: the last ${MOST_BLOCKS}, or fewer when they have more than ${MOST_TRANSACTIONS.toLocaleString('en')} transactions`,
      },
    ),
    bands: Type.Array(FeeBand),
  },
  { title: 'MempoolBands' },
);
