import { flag, text } from '../../../http/params.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { NothingFoundSchemaV1, SearchSchemaV1 } from '../../../records/search/schema.ts';
import { type Found, search } from '../../../records/search/search.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS, BLOCK_HASH, CONTRACT_ID, TX_ID } from '../../examples.ts';

/** `/extended/v1/search` (docs/spec/search.md). No ETag, as recorded. */
export function addSearchRoutesV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/search/:id',
    {
      config: { successor: '/extended/v3/search', cache: 'none' },
      schema: {
        operationId: 'searchByIdV1',
        deprecated: true,
        summary: 'Find the entity with an id',
        tags: ['Search'],
        params: Type.Object({
          id: text(
            'Id of a transaction, hash of a block, address, or id of a contract.',
            ADDRESS,
            TX_ID,
            BLOCK_HASH,
            CONTRACT_ID,
          ),
        }),
        querystring: Type.Object({ include_metadata: flag('Whether to show the whole record.') }),
        response: { 200: SearchSchemaV1, 404: NothingFoundSchemaV1 },
      },
    },
    async (request, reply) => {
      const { include_metadata } = request.query;
      const outcome = await db.read(queries => search(queries, request.params.id, include_metadata));
      if ('result' in outcome) return foundBody(outcome, include_metadata);
      const { missing: entity_type, error } = outcome;
      return reply.code(404).send(JSON.stringify({ found: false, result: { entity_type }, error }));
    },
  );
}

/** Metadata is JSON text already. */
function foundBody({ result, metadata }: Found, withMetadata: boolean): string {
  const known = JSON.stringify(result);
  const whole = withMetadata && metadata !== undefined ? `${known.slice(0, -1)},"metadata":${metadata}}` : known;
  return `{"found":true,"result":${whole}}`;
}
