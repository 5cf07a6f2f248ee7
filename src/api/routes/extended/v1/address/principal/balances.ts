import { failure } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { readAsOf } from '../../../../../paging/as-of.ts';
import { StxBalanceSchemaV1 } from '../../../../../records/addresses/schema.ts';
import { momentOf } from '../../../../../records/blocks/moment.ts';
import { tokenSumsOf, tokensByAssetV1 } from '../../../../../records/token-balances/queries.ts';
import { TOKENS_BY_ASSET_V1 } from '../../../../../records/token-balances/schema.ts';
import type { ApiContext } from '../../../../context.ts';
import { BALANCE_REQUEST, stxBalance } from './stx.ts';

export const AccountBalanceSchemaV1 = Type.Object(
  { stx: StxBalanceSchemaV1, ...TOKENS_BY_ASSET_V1 },
  { title: 'AccountBalance' },
);

/** `/extended/v1/address/:principal/balances` (docs/spec/addresses.md#balances) */
export function addBalancesRouteV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/balances',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getAccountBalanceV1',
        deprecated: true,
        summary: 'Get all balances of a principal',
        description:
          'STX, fungible tokens and numbers of NFTs; with `until_block` as of that block, and without what is pending.',
        tags: ['Addresses'],
        ...BALANCE_REQUEST,
        response: {
          200: AccountBalanceSchemaV1,
          404: failure('No block has this hash'),
        },
      },
    },
    async request => {
      const { principal } = request.params;
      return readAsOf(db, request, async queries => {
        const stx = await stxBalance(queries, principal, request.query);
        const tokens = await tokenSumsOf(queries, principal, await momentOf(queries, request.query));
        return JSON.stringify({ stx, ...tokensByAssetV1(tokens) });
      });
    },
  );
}
