import { integer, MAX_INTEGER } from '../../../http/params.ts';
import { failure } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { readAsOf } from '../../../paging/as-of.ts';
import { listBlocks, spanOfTenure } from '../../../records/blocks/list.ts';
import { BlocksPageV2 } from '../../../records/blocks/schema.ts';
import type { ApiContext } from '../../context.ts';
import { blocksQuery } from './blocks.ts';

/** `/extended/v2/block-tenures` (docs/spec/blocks.md#tenures) */
export function addBlockTenureRoutesV2(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v2/block-tenures/:tenure_height/blocks',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getTenureBlocksV2',
        summary: 'List the blocks of a tenure',
        description: 'The canonical blocks, newest first. Without a cursor, from the newest of the tenure.',
        tags: ['Blocks'],
        params: Type.Object({
          tenure_height: integer(
            'Tenures up to this one. Blocks before epoch 3 are in none.',
            { minimum: 0, maximum: MAX_INTEGER },
            55,
          ),
        }),
        querystring: blocksQuery('0x63979da2ee6b2b5f72d8e9772fd4e803d2ebd62a2d0ecbf5572fd9d9054b5901'),
        response: { 200: BlocksPageV2, 404: failure('The tenure has no canonical block of this cursor') },
      },
    },
    request =>
      readAsOf(db, request, async queries =>
        listBlocks(queries, request.query, await spanOfTenure(queries, request.params.tenure_height)),
      ),
  );
}
