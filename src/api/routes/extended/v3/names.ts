import { principals } from '../../../http/params.ts';
import { principal } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, readLongAsOf } from '../../../paging/as-of.ts';
import { firstNamesOf } from '../../../records/names/first-names.ts';
import type { ApiContext } from '../../context.ts';

export const NamesOfPrincipalsSchemaV3 = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          principal: principal(),
          names: Type.Array(Type.String(), { description: 'The first ten', examples: [['alice.btc']] }),
          has_more: Type.Boolean({ description: 'Whether it has further ones' }),
        },
        { title: 'NamesOfPrincipal' },
      ),
    ),
  },
  { title: 'NamesOfPrincipals' },
);

const MOST_PRINCIPALS = 50;

/** `/extended/v3/names` (docs/spec/names.md#names-of-several-principals) */
export function addNameRoutesV3(api: Api, { longReads, names: versions }: ApiContext): void {
  api.get(
    '/extended/v3/names',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getNamesOfPrincipalsV3',
        summary: 'Get the names of several principals',
        description: 'Each principal once, in the order of the request, without subdomains.',
        tags: ['Names'],
        querystring: Type.Object({
          principal: principals(
            'The owners of the names',
            'ST361TSV9M17KX4D940BEV961EDKAF2M5ZC0B8CBM',
            MOST_PRINCIPALS,
          ),
          at: at(),
        }),
        response: { 200: NamesOfPrincipalsSchemaV3 },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const found = await firstNamesOf(queries, request.query.principal, versions, budget);
        return JSON.stringify({ results: [...found].map(([principal, named]) => ({ principal, ...named })) });
      }),
  );
}
