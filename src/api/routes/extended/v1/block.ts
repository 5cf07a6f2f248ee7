import type { FastifyRequest } from 'fastify';
import { fromHex, hexBytes } from '../../../../base/lib/hex.ts';
import type { Queries } from '../../../../base/store/database.ts';
import { VersionedResponses } from '../../../http/caching.ts';
import { notFound } from '../../../http/errors.ts';
import { hexText, integer, limit, MAX_INTEGER, offset, text } from '../../../http/params.ts';
import { failure, pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, type PastQuery, readAsOf } from '../../../paging/as-of.ts';
import { pageOfRecords } from '../../../paging/page.ts';
import {
  type FoundBlock,
  findByBlockHashOrBoot,
  findByBurnBlock,
  findByBurnHeight,
  findByHeight,
} from '../../../records/blocks/queries.ts';
import { blocksV1, blockV1 } from '../../../records/blocks/record-v1.ts';
import { BlockSchemaV1 } from '../../../records/blocks/schema.ts';
import type { ApiContext } from '../../context.ts';
import { BLOCK_HASH } from '../../examples.ts';

const BURN_BLOCK_HASH = '0xc56de786e3e6f58097258abbb667e4175d3c76a436f7caa5131310d455e24440';

const height = (description: string, example: number) =>
  integer(description, { minimum: 0, maximum: MAX_INTEGER }, example);

/** `/extended/v1/block` (docs/spec/blocks.md#older-routes) */
export function addBlockRoutesV1(api: Api, { db }: ApiContext): void {
  /** A response can change without a new tip, when an orphaned block arrives. */
  const shown = <Params>(
    find: (queries: Queries, params: Params) => Promise<FoundBlock | undefined>,
    missing: string,
  ) =>
    new VersionedResponses<FastifyRequest<{ Params: Params; Querystring: PastQuery }>>(async request => {
      const block = await readAsOf(db, request, async queries => {
        const found = await find(queries, request.params as Params);
        return found && blockV1(queries, found);
      });
      if (!block) throw notFound(missing);
      return JSON.stringify(block);
    });
  const byHeight = shown<{ height: number }>(
    (queries, params) => findByHeight(queries, params.height),
    'cannot find block by height',
  );
  const byBurnHeight = shown<{ burn_block_height: number }>(
    (queries, params) => findByBurnHeight(queries, params.burn_block_height),
    'cannot find block by height',
  );
  const byBurnHash = shown<{ burn_block_hash: string }>(async (queries, params) => {
    const hash = fromHex(params.burn_block_hash);
    return hash && findByBurnBlock(queries, hash);
  }, 'cannot find block by burn block hash');
  const byHash = shown<{ hash: string }>(
    (queries, params) => findByBlockHashOrBoot(queries, hexBytes(params.hash)),
    'cannot find block by hash',
  );
  const schema = {
    tags: ['Blocks'],
    deprecated: true,
    response: { 200: BlockSchemaV1, 404: failure('There is no such block') },
  };

  api.get(
    '/extended/v1/block',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlockListV1',
        summary: 'List blocks in the older form',
        description: 'The canonical blocks, newest first.',
        ...schema,
        querystring: Type.Object({ limit: limit(30, 20), offset: offset(), at: at() }),
        response: { 200: pageOf(BlockSchemaV1, 'BlocksV1Page') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, results } = await readAsOf(db, request, queries => blocksV1(queries, { limit, offset }));
      return pageOfRecords({ limit, offset, total }, results);
    },
  );

  api.get(
    '/extended/v1/block/by_height/:height',
    {
      config: { cache: byHeight.version },
      schema: {
        operationId: 'getBlockByHeightV1',
        summary: 'Get the block of a height',
        description: 'An orphaned block is shown where no canonical one is that high.',
        ...schema,
        querystring: PAST_QUERY,
        params: Type.Object({ height: height('Height of the block.', 150) }),
      },
    },
    byHeight.body,
  );

  api.get(
    '/extended/v1/block/by_burn_block_height/:burn_block_height',
    {
      config: { cache: byBurnHeight.version },
      schema: {
        operationId: 'getBlockByBurnBlockHeightV1',
        summary: 'Get the newest block of a burn block by its height',
        description: 'An orphaned block is shown where there is no canonical one.',
        ...schema,
        querystring: PAST_QUERY,
        params: Type.Object({ burn_block_height: height('Height of the burn block.', 150) }),
      },
    },
    byBurnHeight.body,
  );

  api.get(
    '/extended/v1/block/by_burn_block_hash/:burn_block_hash',
    {
      config: { cache: byBurnHash.version },
      schema: {
        operationId: 'getBlockByBurnBlockHashV1',
        summary: 'Get the newest block of a burn block',
        description: 'An orphaned block is shown when the burn block has no canonical one.',
        ...schema,
        querystring: PAST_QUERY,
        params: Type.Object({
          burn_block_hash: text('Hash of the burn block; `0x` may be left out.', BURN_BLOCK_HASH),
        }),
        response: { 200: BlockSchemaV1, 404: failure('The burn block has no known block') },
      },
    },
    byBurnHash.body,
  );

  api.get(
    '/extended/v1/block/:hash',
    {
      config: { cache: byHash.version },
      schema: {
        operationId: 'getBlockByHashV1',
        summary: 'Get a block in the older form',
        description:
          'By block hash; an index block hash is not one. Of blocks that share a hash, the canonical one is shown.',
        ...schema,
        querystring: PAST_QUERY,
        params: Type.Object({ hash: hexText('Block hash; `0x` may be left out.', BLOCK_HASH) }),
      },
    },
    byHash.body,
  );
}
