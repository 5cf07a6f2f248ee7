import { standardAddress } from '../../../../../http/params.ts';
import { count, nullable } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { PAST_QUERY, readLongAsOf } from '../../../../../paging/as-of.ts';
import { principalNonces } from '../../../../../records/mempool/nonces.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS } from '../../../../examples.ts';

export const PrincipalNoncesSchemaV3 = Type.Object(
  {
    next_nonce: count('Above all that are used'),
    last_confirmed_nonce: nullable(count()),
    mempool: Type.Object({
      last_nonce: nullable(count('The highest that a pending transaction uses')),
      pending_nonces: Type.Array(count(), { description: 'Used by others, the highest first' }),
      missing_nonces: Type.Array(count(), { description: 'Not used below the last one, the highest first' }),
    }),
  },
  { title: 'PrincipalNonces' },
);

/** `/extended/v3/principals/{principal}/nonces` (docs/spec/addresses.md#version-3) */
export function addPrincipalNoncesRouteV3(api: Api, { longReads }: ApiContext): void {
  api.get(
    '/extended/v3/principals/:principal/nonces',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getPrincipalNoncesV3',
        summary: 'Get the nonces of an address',
        tags: ['Addresses'],
        params: Type.Object({ principal: standardAddress('An address.', ADDRESS) }),
        querystring: PAST_QUERY,
        response: { 200: PrincipalNoncesSchemaV3 },
      },
    },
    async request =>
      JSON.stringify(
        await readLongAsOf(longReads, request, (queries, budget) =>
          principalNonces(queries, request.params.principal, budget),
        ),
      ),
  );
}
