import type { Queries } from '../../../../../../base/store/database.ts';
import { addressOrContract, assetIdentifier } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { readLongAsOf } from '../../../../../paging/as-of.ts';
import { type CursorQuery, cursorPageOf, cursorPageOfRecords } from '../../../../../paging/cursor-page.ts';
import { StxTransferSchemaV3 } from '../../../../../records/addresses/schema-v3.ts';
import { type Direction, pageOfStxTransfers, stxTransfersV3 } from '../../../../../records/addresses/transfers-v3.ts';
import { FtTransferSchemaV3, ftTransfersV3 } from '../../../../../records/events/ft-transfers.ts';
import { pageOfPrincipalFtTransfers } from '../../../../../records/token-balances/transfers.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS, FT_CONTRACT } from '../../../../examples.ts';
import { eventQuery, readList, tellFork } from '../../list.ts';

/** `/extended/v3/principals/{principal}/transfers` (docs/spec/addresses.md#stx-transfers) */
export function addPrincipalTransferRoutesV3(api: Api, { db, longReads, network }: ApiContext): void {
  const params = Type.Object({ principal: addressOrContract(ADDRESS) });
  const response = { 200: cursorPageOf(StxTransferSchemaV3, 'StxTransfersPage') };
  const transfers = async (queries: Queries, direction: Direction, principal: string, query: CursorQuery) => {
    const page = await pageOfStxTransfers(queries, direction, principal, query);
    const records = await stxTransfersV3(queries, page.rows, network);
    return cursorPageOfRecords(page, records);
  };

  api.get(
    '/extended/v3/principals/:principal/transfers/stx/inbound',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalInboundStxTransfersV3',
        summary: 'List incoming STX of a principal',
        description: 'The newest first: transfers and mints, an entry for each event.',
        tags: ['Addresses'],
        params,
        querystring: eventQuery('7:2147483647:1:0'),
        response,
      },
    },
    ({ params: { principal }, query }, reply) =>
      readList(db, query, reply, queries => transfers(queries, 'inbound', principal, query)),
  );

  api.get(
    '/extended/v3/principals/:principal/transfers/stx/outbound',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalOutboundStxTransfersV3',
        summary: 'List outgoing STX of a principal',
        description: 'The newest first: transfers and burns, an entry for each event. Fees are not among them.',
        tags: ['Addresses'],
        params,
        querystring: eventQuery('7:2147483647:1:0'),
        response,
      },
    },
    ({ params: { principal }, query }, reply) =>
      readList(db, query, reply, queries => transfers(queries, 'outbound', principal, query)),
  );

  api.get(
    '/extended/v3/principals/:principal/transfers/ft/:asset_identifier',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalFtTransfersV3',
        summary: 'List what moved a fungible token to a principal or from it',
        description: 'The newest first: transfers, mints and burns, an entry for each event.',
        tags: ['Addresses'],
        params: Type.Object({
          principal: addressOrContract(ADDRESS),
          asset_identifier: assetIdentifier('The token.', `${FT_CONTRACT}::tokena`),
        }),
        querystring: eventQuery('7:2147483647:1:0'),
        response: { 200: cursorPageOf(FtTransferSchemaV3, 'FtTransfersPage') },
      },
    },
    (request, reply) =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        await tellFork(queries, request.query, reply);
        const { principal, asset_identifier: asset } = request.params;
        const page = await pageOfPrincipalFtTransfers(queries, budget, { principal, asset }, request.query);
        return cursorPageOfRecords(page, await ftTransfersV3(queries, page.rows));
      }),
  );
}
