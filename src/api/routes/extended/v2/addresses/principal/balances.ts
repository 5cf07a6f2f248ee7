import { addressOrContract, flag, limit, offset, text } from '../../../../../http/params.ts';
import { spellAsset } from '../../../../../http/principals.ts';
import { amount, assetId, pageOf } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../../../paging/as-of.ts';
import { pageOfRecords } from '../../../../../paging/page.ts';
import { addressBalance, balanceAtTip } from '../../../../../records/addresses/balance.ts';
import { PrincipalStxBalanceSchemaV2 } from '../../../../../records/addresses/schema.ts';
import { momentOf } from '../../../../../records/blocks/moment.ts';
import { balanceAtTipWithPending } from '../../../../../records/mempool/queries.ts';
import { balanceOfToken, heldTokensOf } from '../../../../../records/token-balances/queries.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, FT_CONTRACT } from '../../../../examples.ts';

const AT_TIP = { unanchored: false };

const TokenBalance = Type.Object(
  { token: assetId(), balance: amount('In the smallest unit') },
  { title: 'TokenBalance' },
);

const Balance = Type.Object(
  { balance: amount('In the smallest unit; below zero where the index does not know all blocks', true) },
  { title: 'Balance' },
);

/** `/extended/v2/addresses/:principal/balances` (docs/spec/addresses.md#balances-at-the-tip) */
export function addPrincipalBalanceRoutesV2(api: Api, { db, longReads }: ApiContext): void {
  const params = Type.Object({ principal: addressOrContract(ADDRESS) });

  api.get(
    '/extended/v2/addresses/:principal/balances/stx',
    {
      config: {
        cache: {
          of: request => ((request.query as { include_mempool?: boolean }).include_mempool ? 'mempool' : 'tip'),
        },
      },
      schema: {
        operationId: 'getPrincipalStxBalanceV2',
        deprecated: true,
        summary: 'Get the STX of a principal at the tip',
        tags: ['Addresses'],
        params,
        querystring: Type.Object({
          include_mempool: flag('Whether to include the changes by pending transactions.'),
          at: at(),
        }),
        response: { 200: PrincipalStxBalanceSchemaV2 },
      },
    },
    async request => {
      const tell = request.query.include_mempool ? balanceAtTipWithPending : balanceAtTip;
      return readAsOf(db, request, async queries => JSON.stringify(await tell(queries, request.params.principal)));
    },
  );

  api.get(
    '/extended/v2/addresses/:principal/balances/ft',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalFtBalancesV2',
        deprecated: true,
        summary: 'List the fungible tokens of a principal',
        description: 'Tokens with a balance, by their identifiers in lower case.',
        tags: ['Addresses'],
        params,
        querystring: Type.Object({ limit: limit(200, 100), offset: offset(), at: at() }),
        response: { 200: pageOf(TokenBalance, 'TokenBalancesPage') },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, tokens } = await readLongAsOf(longReads, request, (queries, budget) =>
        heldTokensOf(queries, budget, request.params.principal, request.query),
      );
      return pageOfRecords({ limit, offset, total }, tokens);
    },
  );

  api.get(
    '/extended/v2/addresses/:principal/balances/ft/:token',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalFtBalanceV2',
        deprecated: true,
        summary: 'Get the balance of a fungible token',
        description: 'Zero of a token that is not known.',
        tags: ['Addresses'],
        params: Type.Object({
          principal: addressOrContract(ADDRESS),
          token: text('`<contract id>::<asset name>`, or `stx`.', `${FT_CONTRACT}::tokena`, 'stx'),
        }),
        querystring: PAST_QUERY,
        response: { 200: Balance },
      },
    },
    async request => {
      const { principal, token } = request.params;
      return readAsOf(db, request, async queries => {
        const moment = await momentOf(queries, AT_TIP);
        const balance =
          token === 'stx'
            ? (await addressBalance(queries, principal, moment)).balance
            : String(await balanceOfToken(queries, principal, spellAsset(token), moment));
        return JSON.stringify({ balance });
      });
    },
  );
}
