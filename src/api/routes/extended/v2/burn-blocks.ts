import type { FastifyRequest } from 'fastify';
import { lengthOf } from '../../../../base/lib/span.ts';
import { VersionedResponses } from '../../../http/caching.ts';
import { notFound } from '../../../http/errors.ts';
import { blockRef, heightOrHash, limit, offset } from '../../../http/params.ts';
import { failure, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, type PastQuery, readAsOf } from '../../../paging/as-of.ts';
import { page, pageOfRecords } from '../../../paging/page.ts';
import { burnBlocks, findBurnBlock, spanOfBurnBlock } from '../../../records/blocks/burn-blocks.ts';
import { blocksDownFrom } from '../../../records/blocks/queries.ts';
import { BlockSchemaV2 } from '../../../records/blocks/schema.ts';
import { poxTransactionsOf } from '../../../records/burnchain/queries.ts';
import { BurnBlockSchemaV2, PoxTransactionSchemaV2 } from '../../../records/burnchain/schema.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v2/burn-blocks` (docs/spec/burnchain.md#burn-blocks) */
export function addBurnBlockRoutesV2(api: Api, { db }: ApiContext): void {
  const querystring = Type.Object({ limit: limit(30, 20, 'kept'), offset: offset(), at: at() });
  /** A response can change without a new tip, when an orphaned block arrives. */
  const single = new VersionedResponses<FastifyRequest<{ Params: { height_or_hash: string }; Querystring: PastQuery }>>(
    async request => {
      const ref = blockRef(request.params.height_or_hash);
      const burnBlock = await readAsOf(db, request, queries => findBurnBlock(queries, ref));
      if (!burnBlock) throw notFound('Burn block not found');
      return JSON.stringify(burnBlock);
    },
  );

  api.get(
    '/extended/v2/burn-blocks',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBurnBlocksV2',
        summary: 'List burn blocks',
        description: 'Burn blocks with canonical blocks, newest first.',
        tags: ['Blocks'],
        querystring,
        response: { 200: pageOf(BurnBlockSchemaV2, 'BurnBlocksPage') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, results } = await readAsOf(db, request, queries => burnBlocks(queries, { limit, offset }));
      return pageOfRecords({ limit, offset, total }, results);
    },
  );

  api.get(
    '/extended/v2/burn-blocks/:height_or_hash/blocks',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlocksByBurnBlockV2',
        summary: 'List the blocks of a burn block',
        description: 'The canonical ones, newest first.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash('Height or hash of the burn block, or `latest`.') }),
        querystring,
        response: {
          200: pageOf(BlockSchemaV2, 'BlocksOfBurnBlockPage'),
          404: failure('The burn block has no Stacks block'),
        },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { limit, offset } = request.query;
        const span = await spanOfBurnBlock(queries, blockRef(request.params.height_or_hash));
        if (!span) throw notFound('Burn block not found');
        const total = lengthOf(span);
        const count = Math.max(Math.min(limit, total - offset), 0);
        const blocks = count === 0 ? [] : await blocksDownFrom(queries, span.to - 1 - offset, count);
        return pageOfRecords(
          { limit, offset, total },
          blocks.map(({ record }) => record),
        );
      }),
  );

  api.get(
    '/extended/v2/burn-blocks/:height_or_hash',
    {
      config: { cache: single.version },
      schema: {
        operationId: 'getBurnBlockV2',
        summary: 'Get a burn block',
        description: 'By its hash, also one whose Stacks blocks are all orphaned, with `canonical` false.',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash('Height or hash of the burn block, or `latest`.') }),
        querystring: PAST_QUERY,
        response: {
          200: BurnBlockSchemaV2,
          404: failure('The burn block has no canonical Stacks block; for a hash, none at all'),
        },
      },
    },
    single.body,
  );

  api.get(
    '/extended/v2/burn-blocks/:height_or_hash/pox-transactions',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getBurnBlockPoxTransactionsV2',
        summary: 'List the payments of rewards in a burn block',
        description: 'Outputs of Bitcoin transactions, by transaction id. Nodes send them since version 3.3.',
        tags: ['Blocks'],
        params: Type.Object({
          height_or_hash: heightOrHash('Height or hash of the burn block, or `latest`: the newest that has any.'),
        }),
        querystring,
        response: { 200: pageOf(PoxTransactionSchemaV2, 'PoxTransactionsPage') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const ref = blockRef(request.params.height_or_hash);
      const { total, records } = await readAsOf(db, request, queries =>
        poxTransactionsOf(queries, ref, { limit, offset }),
      );
      return page({ limit, offset, total }, records);
    },
  );
}
