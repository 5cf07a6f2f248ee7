import { assetIdentifier } from '../../../../http/params.ts';
import { amount, assetId } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { PAST_QUERY, readLongAsOf } from '../../../../paging/as-of.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../../paging/cursor-page.ts';
import { FtTransferSchemaV3, ftTransfersV3, pageOfFtTransfers } from '../../../../records/events/ft-transfers.ts';
import { holdersFrom, supplyOf } from '../../../../records/token-balances/holders.ts';
import type { ApiContext } from '../../../context.ts';
import { FT_CONTRACT } from '../../../examples.ts';
import { eventQuery, readList } from '../list.ts';
import { HoldersPageV3, holdersQuery, holdersText, parseHolderCursor } from './holders.ts';

/** `/extended/v3/tokens/ft` (docs/spec/addresses.md#holders) */
export function addFtRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  const params = Type.Object({
    asset_identifier: assetIdentifier('The token: `<contract id>::<asset name>`.', `${FT_CONTRACT}::tokena`),
  });

  api.get(
    '/extended/v3/tokens/ft/:asset_identifier/supply',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getFtTotalSupplyV3',
        summary: 'Get the supply of a fungible token',
        description: 'The sum of all balances; 0 of a token that is not known.',
        tags: ['Tokens'],
        params,
        querystring: PAST_QUERY,
        response: {
          200: Type.Object(
            { asset_identifier: assetId(), total: amount('In the smallest unit', true) },
            { title: 'FtTotalSupply' },
          ),
        },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const { asset_identifier } = request.params;
        const total = await supplyOf(queries, budget, asset_identifier);
        return JSON.stringify({ asset_identifier, total });
      }),
  );

  api.get(
    '/extended/v3/tokens/ft/:asset_identifier/holders',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getFtHoldersByBalanceV3',
        summary: 'List the holders of a fungible token',
        description: 'The richest first, then by principal; only those with a balance above zero.',
        tags: ['Tokens'],
        params,
        querystring: holdersQuery(),
        response: { 200: HoldersPageV3 },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries =>
        holdersText(await holdersFrom(queries, params.asset_identifier, query.limit, parseHolderCursor(query.cursor))),
      ),
  );

  api.get(
    '/extended/v3/tokens/ft/:asset_identifier/transfers',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getFtTransfersV3',
        summary: 'List the transfers, mints and burns of a fungible token',
        description: 'The newest first: transfers, mints and burns, an entry for each event.',
        tags: ['Tokens'],
        params,
        querystring: eventQuery('7:2147483647:1:0'),
        response: { 200: cursorPageOf(FtTransferSchemaV3, 'FtTransfersPage') },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await pageOfFtTransfers(queries, params.asset_identifier, query);
        const records = await ftTransfersV3(queries, page.rows);
        return cursorPageOfRecords(page, records);
      }),
  );
}
