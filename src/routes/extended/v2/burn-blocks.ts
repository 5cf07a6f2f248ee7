import { Type } from 'typebox';
import { notFound } from '../../../http/errors.ts';
import { blockRef, heightOrHash } from '../../../http/params.ts';
import { failure } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { type BlockOfBurnBlock, blocksOfBurnBlock } from '../../../resources/blocks/queries.ts';
import type { BlockRecord } from '../../../resources/blocks/record.ts';
import { BurnBlockSchema } from '../../../resources/burnchain/schema.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v2/burn-blocks` (docs/spec/burnchain.md#burn-blocks) */
export function addBurnBlockRoutes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/burn-blocks/:height_or_hash',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getBurnBlock',
        summary: 'Get a burn block',
        tags: ['Blocks'],
        params: Type.Object({ height_or_hash: heightOrHash('Height or hash of the burn block, or `latest`.') }),
        response: { 200: BurnBlockSchema, 404: failure('No canonical block stands on that burn block') },
      },
    },
    async request => {
      const blocks = await db.read(queries => blocksOfBurnBlock(queries, blockRef(request.params.height_or_hash)));
      const newest = blocks[0];
      if (!newest) throw notFound('Not found');
      const block = JSON.parse(newest.record) as BlockRecord;
      return JSON.stringify({
        burn_block_time: block.burn_block_time,
        burn_block_time_iso: block.burn_block_time_iso,
        burn_block_hash: block.burn_block_hash,
        burn_block_height: block.burn_block_height,
        stacks_blocks: blocks.map(({ blockHash }) => blockHash),
        avg_block_time: averageBlockTime(blocks),
        total_tx_count: blocks.reduce((sum, { txCount }) => sum + txCount, 0),
      });
    },
  );
}

/** Mean seconds between successive blocks, rounded to cents and then cut, as recorded; 0 for a single block. */
function averageBlockTime(newestFirst: readonly BlockOfBurnBlock[]): number {
  const newest = newestFirst[0];
  const oldest = newestFirst.at(-1);
  if (!newest || !oldest || newestFirst.length === 1) return 0;
  const mean = (newest.blockTime - oldest.blockTime) / (newestFirst.length - 1);
  return Math.trunc(Math.round(mean * 100) / 100);
}
