import { flag, oneOf, principalParam } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import { Type } from '../../http/type.ts';
import { at, readLongAsOf } from '../../paging/as-of.ts';
import { namesOwnedBy } from '../../records/names/owned-names.ts';
import { NamesSchemaV1 } from '../../records/names/schema.ts';
import type { ApiContext } from '../context.ts';

/** `/v1/addresses` (docs/spec/names.md#names-of-an-address) */
export function addOwnedNameRoutesV1(api: Api, { longReads, names: versions }: ApiContext): void {
  api.get(
    '/v1/addresses/:blockchain/:address',
    {
      config: { successor: '/extended/v3/principals/{principal}/balances/nft', cache: 'attachments' },
      schema: {
        operationId: 'getNamesOwnedByAddressV1',
        deprecated: true,
        summary: 'List the names that an address owns',
        tags: ['Names'],
        params: Type.Object({
          blockchain: oneOf('Only `stacks` is known.', ['stacks'], undefined, 'stacks'),
          address: principalParam('The owner.', 'ST361TSV9M17KX4D940BEV961EDKAF2M5ZC0B8CBM'),
        }),
        querystring: Type.Object({ unanchored: flag('Checked, and without effect.'), at: at() }),
        response: { 200: NamesSchemaV1 },
      },
    },
    async request => {
      const { address } = request.params;
      const names = await readLongAsOf(longReads, request, (queries, budget) =>
        namesOwnedBy(queries, address, versions, budget),
      );
      return JSON.stringify({ names });
    },
  );
}
