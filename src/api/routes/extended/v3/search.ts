import { listOf } from '../../../http/params.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { findBeginnings, SOUGHT } from '../../../records/search/beginnings.ts';
import { BeginningsSchemaV3 } from '../../../records/search/schema.ts';
import type { ApiContext } from '../../context.ts';
import { ADDRESS, BLOCK_HASH, CONTRACT_ID, TX_ID } from '../../examples.ts';

const examples = [ADDRESS, CONTRACT_ID, TX_ID.slice(0, 14), BLOCK_HASH, '7'];

/** `/extended/v3/search` (docs/spec/search.md#version-3). No ETag: its results include the mempool. */
export function addSearchRoutesV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/search',
    {
      config: { cache: 'none' },
      schema: {
        operationId: 'searchV3',
        summary: 'Find entities that begin with a text',
        description: 'For suggestions during typing. Without a match the list is empty.',
        tags: ['Search'],
        querystring: Type.Object({
          q: Type.String({
            minLength: 1,
            maxLength: 300,
            description:
              'A height; or a beginning of a hash (8 digits), an address, a contract id or an asset identifier (5 letters).',
            examples,
          }),
          type: Type.Optional(listOf('What is looked for; everything, unless given.', SOUGHT)),
          limit: Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'Results, at most.' }),
        }),
        response: { 200: BeginningsSchemaV3 },
      },
    },
    async ({ query: { q, type = SOUGHT, limit } }) =>
      JSON.stringify({ results: await db.read(queries => findBeginnings(queries, q, type, limit)) }),
  );
}
