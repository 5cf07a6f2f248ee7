import { Type } from 'typebox';
import { notFound } from '../../../http/errors.ts';
import { text } from '../../../http/params.ts';
import { failure } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { fromHex } from '../../../lib/hex.ts';
import { blockV1 } from '../../../resources/blocks/block-v1.ts';
import { findByBurnBlock } from '../../../resources/blocks/queries.ts';
import { BlockV1Schema } from '../../../resources/blocks/schema.ts';
import type { Queries } from '../../../store/database.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v1/block` (docs/spec/blocks.md) */
export function addBlockV1Routes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/block/by_burn_block_hash/:burn_block_hash',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBlockByBurnBlockHash',
        summary: 'Get the newest block of a burn block',
        description: 'An orphaned block is shown when the burn block has no canonical one.',
        tags: ['Blocks'],
        deprecated: true,
        params: Type.Object({
          burn_block_hash: text('Hash of the burn block; `0x` may be left out.', BURN_BLOCK_HASH),
        }),
        response: {
          200: BlockV1Schema,
          404: failure('The burn block has no known block'),
        },
      },
    },
    async request => {
      const hash = fromHex(request.params.burn_block_hash);
      const block = await db.read(queries => newestBlockOf(queries, hash));
      if (!block) throw notFound('cannot find block by burn block hash');
      return JSON.stringify(block);
    },
  );
}

const BURN_BLOCK_HASH = '0xc56de786e3e6f58097258abbb667e4175d3c76a436f7caa5131310d455e24440';

async function newestBlockOf(queries: Queries, burnBlockHash: Uint8Array | undefined) {
  const found = burnBlockHash && (await findByBurnBlock(queries, burnBlockHash));
  return found && blockV1(queries, found);
}
