import { Type } from 'typebox';
import { notFound } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { blockCursor, blockRef, heightOrHash, limit, normalHash, offset } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { Queries } from '../../store/database.ts';
import type { ApiContext } from '../api-context.ts';
import { transactionsInOrder } from '../transactions/queries.ts';
import { TransactionsPage } from '../transactions/schema.ts';
import { blocksDownFrom, countBlocks, findBlock, hashAt } from './queries.ts';
import { BlockSchema, BlocksPage } from './schema.ts';

const blockNotFound = () => notFound('Block not found');

/** `/extended/v2/blocks`: getTransactionsByBlock, getBlock, getBlocks (docs/spec/blocks.md). */
export function addBlockRoutes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/blocks/:height_or_hash',
    {
      config: { cache: 'tip', response: BlockSchema },
      schema: { params: Type.Object({ height_or_hash: heightOrHash() }) },
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
      config: { cache: 'tip', response: TransactionsPage },
      schema: {
        params: Type.Object({ height_or_hash: heightOrHash() }),
        querystring: Type.Object({ limit: limit(50, 20, 'kept'), offset: offset() }),
      },
    },
    request =>
      db.read(async queries => {
        const { limit, offset } = request.query;
        const block = await findBlock(queries, blockRef(request.params.height_or_hash));
        // A block without transactions has always been answered like one that is not there.
        if (!block || block.txRows === 0) throw blockNotFound();
        const count = Math.max(Math.min(limit, block.txRows - offset), 0);
        const records = count === 0 ? [] : await transactionsInOrder(queries, block.firstTx + offset, count);
        return page({ limit, offset, total: block.txCount }, records);
      }),
  );

  api.get(
    '/extended/v2/blocks',
    {
      config: { cache: 'tip', hot: true, response: BlocksPage },
      schema: {
        querystring: Type.Object({
          limit: limit(30, 20),
          offset: offset(-300, 300),
          cursor: Type.Optional(blockCursor()),
        }),
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

/**
 * Blocks newest first, from a cursor or the tip; `prev` leads towards genesis, `next` towards the tip
 * (docs/spec/blocks.md#list-of-blocks).
 */
async function listBlocks(queries: Queries, { limit, offset, cursor }: BlocksQuery): Promise<string> {
  const total = await countBlocks(queries);
  const anchor = cursor === undefined ? total - 1 : ((await positionOf(queries, cursor)) ?? Number.NaN);
  const first = anchor - offset;
  const blocks = first >= 0 && first < total ? await blocksDownFrom(queries, first, limit) : [];
  if (blocks.length === 0) {
    if (cursor !== undefined) throw notFound('Cursor not found');
    return page({ limit, offset, total: 0, next_cursor: null, prev_cursor: null, cursor: null }, []);
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
