import { Type } from 'typebox';
import { flag, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { ApiContext } from '../api-context.ts';
import { NothingFound, SearchAnswer } from './schema.ts';
import { type Found, search } from './search.ts';

/** `/extended/v1/search`: searchById (docs/spec/search.md). No ETag, as recorded. */
export function addSearchRoutes(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/search/:id',
    {
      config: { response: SearchAnswer, errors: { 404: NothingFound } },
      schema: { params: Type.Object({ id: text() }), querystring: Type.Object({ include_metadata: flag() }) },
    },
    async (request, reply) => {
      const { include_metadata } = request.query;
      const answer = await db.read(queries => search(queries, request.params.id, include_metadata));
      if ('result' in answer) return foundBody(answer, include_metadata);
      const { missing: entity_type, error } = answer;
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
