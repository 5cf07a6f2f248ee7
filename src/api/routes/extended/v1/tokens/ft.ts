import { limit, offset, text } from '../../../../http/params.ts';
import { spellAsset } from '../../../../http/principals.ts';
import { amount, pageOf, principal } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { at, readLongAsOf } from '../../../../paging/as-of.ts';
import { page } from '../../../../paging/page.ts';
import { holdersOf } from '../../../../records/token-balances/holders.ts';
import type { ApiContext } from '../../../context.ts';
import { FT_CONTRACT } from '../../../examples.ts';

const Holder = Type.Object(
  {
    address: principal(),
    balance: amount('In the smallest unit; below zero where the index does not know all blocks', true),
  },
  { title: 'Holder' },
);

export const HoldersPageSchemaV1 = pageOf(Holder, 'HoldersPage', { total_supply: amount('Sum of all balances', true) });

/** `/extended/v1/tokens/ft` (docs/spec/addresses.md#holders) */
export function addFungibleTokenRoutesV1(api: Api, { longReads }: ApiContext): void {
  api.get(
    '/extended/v1/tokens/ft/:token/holders',
    {
      config: { successor: '/extended/v3/tokens/ft/{asset_identifier}/holders', cache: 'tip' },
      schema: {
        operationId: 'getFtHoldersV1',
        deprecated: true,
        summary: 'List the holders of a fungible token or of STX',
        description: 'The richest first; former holders are included.',
        tags: ['Tokens'],
        params: Type.Object({
          token: text('`<contract id>::<asset name>`, or `stx`.', `${FT_CONTRACT}::tokena`, 'stx'),
        }),
        querystring: Type.Object({ limit: limit(200, 100), offset: offset(), at: at() }),
        response: { 200: HoldersPageSchemaV1 },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, supply, holders } = await readLongAsOf(longReads, request, (queries, budget) =>
        holdersOf(queries, spellAsset(request.params.token), request.query, budget),
      );
      return page(
        { total_supply: supply, limit, offset, total },
        holders.map(holder => JSON.stringify(holder)),
      );
    },
  );
}
