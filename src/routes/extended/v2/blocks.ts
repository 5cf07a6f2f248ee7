import { Type } from 'typebox';
import { notFound } from '../../../http/errors.ts';
import { page } from '../../../http/page.ts';
import { blockCursor, blockRef, heightOrHash, limit, normalHash, offset } from '../../../http/params.ts';
import { failure, hash, nullable, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { blocksDownFrom, countBlocks, findBlock, hashAt } from '../../../resources/blocks/queries.ts';
import { BlockSchema } from '../../../resources/blocks/schema.ts';
import { transactionsInOrder } from '../../../resources/transactions/queries.ts';
import { TransactionsPage } from '../../../resources/transactions/schema.ts';
import type { Queries } from '../../../store/database.ts';
import type { ApiContext } from '../../context.ts';

const BLOCK_CURSOR = '0x612f894c12c32e0f7086d46712104ac0757a2c45a89acfab9baa4877e6cff752';

const blockNotFound = () => notFound('Block not found');

/** `/extended/v2/blocks` (docs/spec/blocks.md) */
export function addBlockRoutes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/blocks/:height_or_hash',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlock',
        summary: 'Get a block',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        response: { 200: BlockSchema, 404: failure('No canonical block is that high, or has that hash') },
      },
    },
    async request => {
      const block = await db.read(queries => findBlock(queries, blockRef(request.params.height_or_hash)));
      if (!block) throw blockNotFound();
      return block.record;
    },
  );

  api.get(
    '/extended/v2/blocks/:height_or_hash/transactions',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTransactionsByBlock',
        deprecated: true,
        summary: 'List the transactions of a block',
        description: 'In the order of the block.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: Type.Object({ limit: limit(50, 20, 'kept'), offset: offset() }),
        response: {
          200: TransactionsPage,
          404: failure('No canonical block is that high, or has that hash'),
        },
      },
    },
    request =>
      db.read(async queries => {
        const { limit, offset } = request.query;
        const block = await findBlock(queries, blockRef(request.params.height_or_hash));
        if (!block) throw blockNotFound();
        const count = Math.max(Math.min(limit, block.txRows - offset), 0);
        const records = count === 0 ? [] : await transactionsInOrder(queries, block.firstTx + offset, count);
        return page({ limit, offset, total: block.txRows }, records);
      }),
  );

  api.get(
    '/extended/v2/blocks',
    {
      config: { cache: 'tip', hot: true },
      schema: {
        operationId: 'getBlocks',
        summary: 'List blocks',
        description:
          'The canonical blocks, newest first. `prev_cursor` leads towards genesis, `next_cursor` towards the tip; with a ' +
          'cursor, `offset` counts from its block.',
        tags: ['Blocks'],
        querystring: Type.Object({
          limit: limit(30, 20),
          offset: offset(-300, 300, 'Blocks to skip; below zero, towards the tip.'),
          cursor: Type.Optional(blockCursor(BLOCK_CURSOR)),
        }),
        response: {
          200: pageOf(BlockSchema, 'BlocksPage', {
            next_cursor: nullable(hash(), 'Of the page nearer the tip, when it is a full one'),
            prev_cursor: nullable(hash(), 'Of the page nearer genesis'),
            cursor: nullable(hash(), 'Of this page: its first block'),
          }),
          404: failure('No canonical block has this cursor, or the offset leads off the chain'),
        },
      },
    },
    request => db.read(queries => listBlocks(queries, request.query)),
  );
}

interface BlocksQuery {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string;
}

/** Blocks newest first, from a cursor or the tip; `prev` leads towards genesis, `next` towards the tip. */
async function listBlocks(queries: Queries, { limit, offset, cursor }: BlocksQuery): Promise<string> {
  const total = await countBlocks(queries);
  const anchor = cursor === undefined ? total - 1 : ((await positionOf(queries, cursor)) ?? Number.NaN);
  const first = anchor - offset;
  const blocks = first >= 0 && first < total ? await blocksDownFrom(queries, first, limit) : [];
  if (blocks.length === 0) {
    if (cursor !== undefined) throw notFound('Cursor not found');
    return page({ limit, offset, total, next_cursor: null, prev_cursor: null, cursor: null }, []);
  }
  const envelope = {
    limit,
    offset,
    total,
    next_cursor: await hashAt(queries, first + limit),
    prev_cursor: await hashAt(queries, first - limit),
    cursor: blocks[0]?.indexBlockHash ?? null,
  };
  return page(
    envelope,
    blocks.map(block => block.record),
  );
}

/** A cursor is an index block hash; a block hash is not one. */
async function positionOf(queries: Queries, cursor: string): Promise<number | undefined> {
  const hash = normalHash(cursor);
  const block = await findBlock(queries, { hash });
  return block?.indexBlockHash === hash ? block.height - 1 : undefined;
}
