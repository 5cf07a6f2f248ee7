import { Type } from 'typebox';
import { isValidPrincipal } from '../../codec/index.ts';
import { badRequest } from '../../http/errors.ts';
import { flag, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import { namesOwnedBy } from '../../resources/names/queries.ts';
import { NamesSchema } from '../../resources/names/schema.ts';
import type { ApiContext } from '../context.ts';

/** `/v1/addresses` (docs/spec/names.md#names-of-an-address) */
export function addNameRoutes(api: Api, { db, names: versions }: ApiContext): void {
  api.get(
    '/v1/addresses/:blockchain/:address',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getNamesOwnedByAddress',
        summary: 'List the names that an address owns',
        tags: ['Names'],
        params: Type.Object({
          blockchain: text('Only `stacks` is known.', 'stacks'),
          address: text('The owner.', 'ST361TSV9M17KX4D940BEV961EDKAF2M5ZC0B8CBM'),
        }),
        querystring: Type.Object({ unanchored: flag('Checked, and without effect.') }),
        response: { 200: NamesSchema },
      },
    },
    async request => {
      const { blockchain, address } = request.params;
      if (blockchain !== 'stacks') throw badRequest('Unsupported blockchain');
      if (!isValidPrincipal(address)) throw badRequest(`params/address must be a principal, not "${address}"`);
      const names = await db.read(queries => namesOwnedBy(queries, address, versions));
      return JSON.stringify({ names });
    },
  );
}
