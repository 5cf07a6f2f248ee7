import { assetIdentifier } from '../../../../http/params.ts';
import { amount, assetId, count, unixTime } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../../paging/as-of.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../../paging/cursor-page.ts';
import { firstTxWithin, WEEK } from '../../../../records/blocks/times.ts';
import {
  countFtTransfers,
  FtTransferSchemaV3,
  ftTransfersV3,
  pageOfFtTransfers,
} from '../../../../records/events/ft-transfers.ts';
import { countHolders, holdersFrom } from '../../../../records/token-balances/holders.ts';
import { supplyHistory, supplyOf } from '../../../../records/token-balances/supplies.ts';
import type { ApiContext } from '../../../context.ts';
import { FT_CONTRACT } from '../../../examples.ts';
import { eventQuery, readList, readLongList } from '../list.ts';
import { HoldersPageV3, holdersQuery, holdersText, parseHolderCursor } from './holders.ts';

const FtSupplySchemaV3 = Type.Object(
  { asset_identifier: assetId(), total: amount('In the smallest unit', true) },
  { title: 'FtTotalSupply' },
);

export const FtTotalsSchemaV3 = Type.Object(
  {
    asset_identifier: assetId(),
    supply: amount('In the smallest unit', true),
    holders: count('Principals with a balance above zero'),
    transfers: Type.Object(
      {
        total: count('Transfers, mints and burns'),
        last_7d: count('Those of the seven days before the newest block'),
      },
      { title: 'FtTransferCounts' },
    ),
  },
  { title: 'FtTotals' },
);

export const FtSupplyHistorySchemaV3 = Type.Object(
  {
    asset_identifier: assetId(),
    total: amount('The supply now, in the smallest unit', true),
    results: Type.Array(
      Type.Object(
        {
          block: Type.Object({ height: count(), time: unixTime() }, { title: 'BlockOfSupply' }),
          total: amount('After the block', true),
        },
        { title: 'FtSupplyPoint' },
      ),
    ),
  },
  { title: 'FtSupplyHistory' },
);

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
          200: FtSupplySchemaV3,
        },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { asset_identifier } = request.params;
        return JSON.stringify({ asset_identifier, total: await supplyOf(queries, asset_identifier) });
      }),
  );

  api.get(
    '/extended/v3/tokens/ft/:asset_identifier/totals',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getFtTotalsV3',
        summary: 'Get supply, number of holders and of transfers of a fungible token',
        description: 'Zeros of a token that is not known.',
        tags: ['Tokens'],
        params,
        querystring: PAST_QUERY,
        response: { 200: FtTotalsSchemaV3 },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const { asset_identifier } = request.params;
        const holders = await countHolders(queries, asset_identifier, budget);
        const { total, since } = await countFtTransfers(queries, asset_identifier, await firstTxWithin(queries, WEEK));
        const supply = await supplyOf(queries, asset_identifier);
        return JSON.stringify({ asset_identifier, supply, holders, transfers: { total, last_7d: since } });
      }),
  );

  api.get(
    '/extended/v3/tokens/ft/:asset_identifier/supply/history',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getFtSupplyHistoryV3',
        summary: 'Get the supply of a fungible token over time',
        description:
          'The supply after some of the blocks that changed it, at even distances among these, the oldest first.',
        tags: ['Tokens'],
        params,
        querystring: Type.Object({
          points: Type.Integer({ minimum: 1, maximum: 200, default: 100, description: 'Blocks, at most.' }),
          at: at(),
        }),
        response: { 200: FtSupplyHistorySchemaV3 },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const { asset_identifier } = request.params;
        return JSON.stringify({
          asset_identifier,
          ...(await supplyHistory(queries, asset_identifier, request.query.points)),
        });
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
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { limit, cursor } = request.query;
        const { asset_identifier } = request.params;
        return holdersText(await holdersFrom(queries, asset_identifier, limit, parseHolderCursor(cursor), budget));
      }),
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
