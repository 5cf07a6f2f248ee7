import { countBlocks } from '../../../../index/blocks/canonical-chain.ts';
import { notFound } from '../../../http/errors.ts';
import { blockCursor, blockRef, heightOrHash, integer, limit, MAX_INTEGER, offset } from '../../../http/params.ts';
import { failure } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, readAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { listBlocks } from '../../../records/blocks/list.ts';
import { findBlock, signerSignatures } from '../../../records/blocks/queries.ts';
import {
  AverageBlockTimesSchemaV2,
  BlockSchemaV2,
  BlocksPageV2,
  SignaturesPageV2,
} from '../../../records/blocks/schema.ts';
import { averageBlockTimes, blockAtTime } from '../../../records/blocks/times.ts';
import { withEventsInList } from '../../../records/transactions/detail.ts';
import { EVENTS_IN_LISTS } from '../../../records/transactions/events.ts';
import { transactionsInOrder } from '../../../records/transactions/queries.ts';
import { TransactionsPageV1 } from '../../../records/transactions/schema.ts';
import type { ApiContext } from '../../context.ts';

const BLOCK_CURSOR = '0x612f894c12c32e0f7086d46712104ac0757a2c45a89acfab9baa4877e6cff752';

/** The parameters of lists of blocks with cursors. @param example a cursor */
export const blocksQuery = (example: string) =>
  Type.Object({
    limit: limit(30, 20),
    offset: offset(-300, 300, 'Blocks to skip; below zero, towards the tip.'),
    cursor: Type.Optional(blockCursor(example)),
    at: at(),
  });

const blockNotFound = () => notFound('Block not found');

/** `/extended/v2/blocks` (docs/spec/blocks.md) */
export function addBlockRoutesV2(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/blocks/:height_or_hash',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlockV2',
        summary: 'Get a block',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: PAST_QUERY,
        response: { 200: BlockSchemaV2, 404: failure('No canonical block is that high, or has that hash') },
      },
    },
    async request => {
      const block = await readAsOf(db, request, queries => findBlock(queries, blockRef(request.params.height_or_hash)));
      if (!block) throw blockNotFound();
      return JSON.stringify(block.record);
    },
  );

  api.get(
    '/extended/v2/blocks/average-times',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAverageBlockTimesV2',
        summary: 'Get average times between blocks',
        description: 'Of windows that end at the time of the newest block.',
        tags: ['Blocks'],
        querystring: PAST_QUERY,
        response: { 200: AverageBlockTimesSchemaV2 },
      },
    },
    async request => JSON.stringify(await readAsOf(db, request, averageBlockTimes)),
  );

  api.get(
    '/extended/v2/blocks/by-block-time/:timestamp',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlockByBlockTimeV2',
        summary: 'Get the newest block at a time',
        description: 'The block with the greatest time up to this one.',
        tags: ['Blocks'],
        params: Type.Object({
          timestamp: integer('Unix seconds.', { minimum: 0, maximum: MAX_INTEGER }, 1_795_098_000),
        }),
        querystring: PAST_QUERY,
        response: { 200: BlockSchemaV2, 404: failure('The chain has no block that old') },
      },
    },
    async request => {
      const block = await readAsOf(db, request, queries => blockAtTime(queries, request.params.timestamp));
      if (!block) throw notFound('No block found at or before the given timestamp');
      return JSON.stringify(block.record);
    },
  );

  api.get(
    '/extended/v2/blocks/:height_or_hash/transactions',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTransactionsByBlockV2',
        deprecated: true,
        summary: 'List the transactions of a block',
        description: 'In the order of the block.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: Type.Object({ limit: limit(50, 20, 'kept'), offset: offset(), ...EVENTS_IN_LISTS, at: at() }),
        response: {
          200: TransactionsPageV1,
          404: failure('No canonical block is that high, or has that hash'),
        },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { limit, offset } = request.query;
        const block = await findBlock(queries, blockRef(request.params.height_or_hash));
        if (!block) throw blockNotFound();
        const count = Math.max(Math.min(limit, block.txRows - offset), 0);
        const records = count === 0 ? [] : await transactionsInOrder(queries, block.firstTx + offset, count);
        return page({ limit, offset, total: block.txRows }, await withEventsInList(queries, records, request.query));
      }),
  );

  api.get(
    '/extended/v2/blocks/:height_or_hash/signer-signatures',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getSignerSignaturesForBlockV2',
        summary: 'List the signatures of a block',
        description:
          'Those of its signers, in the order of the node. A block that is not known, or was not signed, has none.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: Type.Object({ limit: limit(1000, 500, 'kept'), offset: offset(), at: at() }),
        response: { 200: SignaturesPageV2 },
      },
    },
    async request => {
      const {
        params,
        query: { limit, offset },
      } = request;
      const signatures = await readAsOf(db, request, queries =>
        signerSignatures(queries, blockRef(params.height_or_hash)),
      );
      const shown = signatures.slice(offset, offset + limit).map(signature => JSON.stringify(signature));
      return page({ limit, offset, total: signatures.length }, shown);
    },
  );

  api.get(
    '/extended/v2/blocks',
    {
      config: { cache: 'tip', hot: true },
      schema: {
        operationId: 'getBlocksV2',
        summary: 'List blocks',
        description:
          'The canonical blocks, newest first. `prev_cursor` leads towards genesis, `next_cursor` towards the tip; with a ' +
          'cursor, `offset` counts from its block.',
        tags: ['Blocks'],
        querystring: blocksQuery(BLOCK_CURSOR),
        response: {
          200: BlocksPageV2,
          404: failure('No canonical block has this cursor, or the offset leads off the chain'),
        },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const chain = { from: 0, to: await countBlocks(queries) };
        return listBlocks(queries, request.query, chain);
      }),
  );
}
