import { hexBytes } from '../../../../base/lib/hex.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { firstUnanchored } from '../../../../index/blocks/canonical-chain.ts';
import { countTransactions } from '../../../../index/transactions/positions.ts';
import { notFound } from '../../../http/errors.ts';
import { hexText, limit, offset } from '../../../http/params.ts';
import { count, failure, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, readAsOf } from '../../../paging/as-of.ts';
import { pageOfRecords } from '../../../paging/page.ts';
import { findMicroblock, microblocks } from '../../../records/microblocks/queries.ts';
import { MicroblockSchemaV1 } from '../../../records/microblocks/schema.ts';
import { transactionsFromEnd } from '../../../records/transactions/queries.ts';
import { TransactionSchemaV1 } from '../../../records/transactions/schema.ts';
import type { ApiContext } from '../../context.ts';

const MICROBLOCK_HASH = '0x03bab2b5219ff5f5741d6b6dec66bcda5a790f4fc21e89455ac3b59df781c06f';

/** `/extended/v1/microblock` (docs/spec/blocks.md#microblocks) */
export function addMicroblockRoutesV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/microblock/unanchored/txs',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getUnanchoredTxsV1',
        deprecated: true,
        summary: 'List the transactions that only microblocks on the tip have',
        description: 'Newest first, all of them. Microblocks ended with epoch 2.5.',
        tags: ['Transactions'],
        querystring: PAST_QUERY,
        response: { 200: UnanchoredTransactions },
      },
    },
    async request => {
      const records = await readAsOf(db, request, unanchoredTransactions);
      return `{"total":${records.length},"results":[${records.join(',')}]}`;
    },
  );

  api.get(
    '/extended/v1/microblock',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getMicroblockListV1',
        deprecated: true,
        summary: 'List microblocks',
        description:
          'The canonical ones, newest first: those that blocks accepted, and those on the tip. Microblocks ended with epoch 2.5.',
        tags: ['Blocks'],
        querystring: Type.Object({ limit: limit(200, 20), offset: offset(), at: at() }),
        response: { 200: pageOf(MicroblockSchemaV1, 'MicroblocksPage') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, results } = await readAsOf(db, request, queries => microblocks(queries, { limit, offset }));
      return pageOfRecords({ limit, offset, total }, results);
    },
  );

  api.get(
    '/extended/v1/microblock/:hash',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getMicroblockByHashV1',
        deprecated: true,
        summary: 'Get a microblock',
        description: 'Canonical or not. An orphaned block is shown without transactions.',
        tags: ['Blocks'],
        params: Type.Object({ hash: hexText('Hash of the microblock; `0x` may be left out.', MICROBLOCK_HASH) }),
        querystring: PAST_QUERY,
        response: { 200: MicroblockSchemaV1, 404: failure('There is no such microblock') },
      },
    },
    async request => {
      const hash = hexBytes(request.params.hash);
      const found = await readAsOf(db, request, queries => findMicroblock(queries, hash));
      if (!found) throw notFound('cannot find microblock by hash');
      return JSON.stringify(found);
    },
  );
}

async function unanchoredTransactions(queries: Queries): Promise<string[]> {
  const first = await firstUnanchored(queries);
  if (first === undefined) return [];
  const length = (await countTransactions(queries)) - first;
  return transactionsFromEnd(queries, first, length, { offset: 0, limit: length });
}

const UnanchoredTransactions = Type.Object(
  { total: count('Number of transactions'), results: Type.Array(TransactionSchemaV1) },
  { title: 'UnanchoredTransactions' },
);
