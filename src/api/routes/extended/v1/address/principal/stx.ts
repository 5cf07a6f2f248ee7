import type { Queries } from '../../../../../../base/store/database.ts';
import { addressOrContract, flag, untilBlock } from '../../../../../http/params.ts';
import { failure } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, readAsOf } from '../../../../../paging/as-of.ts';
import { addressBalance } from '../../../../../records/addresses/balance.ts';
import { StxBalanceSchemaV1 } from '../../../../../records/addresses/schema.ts';
import { momentOf } from '../../../../../records/blocks/moment.ts';
import { balanceWithPending } from '../../../../../records/mempool/queries.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS } from '../../../../examples.ts';

/** Parameters of both routes of balances. */
export const BALANCE_REQUEST = {
  params: Type.Object({ principal: addressOrContract(ADDRESS) }),
  querystring: Type.Object({
    until_block: untilBlock(),
    unanchored: flag('Whether to include what only a microblock on the tip has.'),
    at: at(),
  }),
};

/** `/extended/v1/address/:principal/stx` (docs/spec/addresses.md#balances) */
export function addStxBalanceRouteV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/stx',
    {
      config: { cache: 'mempool' },
      schema: {
        operationId: 'getAccountStxBalanceV1',
        deprecated: true,
        summary: 'Get the STX of a principal',
        description: 'With `until_block` as of that block, and without pending transactions.',
        tags: ['Addresses'],
        ...BALANCE_REQUEST,
        response: { 200: StxBalanceSchemaV1, 404: failure('No block has this hash') },
      },
    },
    async request => {
      const { principal } = request.params;
      return readAsOf(db, request, async queries =>
        JSON.stringify(await stxBalance(queries, principal, request.query)),
      );
    },
  );
}

/** A balance at a past block has no fields about pending transactions. */
export async function stxBalance(
  queries: Queries,
  principal: string,
  query: { readonly until_block?: string; readonly unanchored: boolean },
) {
  const moment = await momentOf(queries, query);
  return query.until_block === undefined
    ? balanceWithPending(queries, principal, moment)
    : addressBalance(queries, principal, moment);
}
