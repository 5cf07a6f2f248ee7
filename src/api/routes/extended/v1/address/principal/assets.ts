import { pageOf } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { readAsOf } from '../../../../../paging/as-of.ts';
import { page } from '../../../../../paging/page.ts';
import { assetsOfAddress } from '../../../../../records/addresses/event-pages.ts';
import { spanOf } from '../../../../../records/blocks/moment.ts';
import { EventSchemaV1 } from '../../../../../records/transactions/event-schema.ts';
import type { ApiContext } from '../../../../context.ts';
import { HISTORY_FAILURES, HISTORY_PARAMS, historyQuery } from './history.ts';

/** `/extended/v1/address/:principal/assets` (docs/spec/addresses.md#asset-events-of-a-principal) */
export function addAccountAssetsRouteV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/assets',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAccountAssetsV1',
        deprecated: true,
        summary: 'List the events that moved assets of a principal, or locked its STX',
        description: 'Newest first: transfers, mints and burns of STX, fungible and non-fungible tokens, and locks.',
        tags: ['Addresses'],
        params: HISTORY_PARAMS,
        querystring: Type.Object(historyQuery(100)),
        response: { 200: pageOf(EventSchemaV1, 'AccountAssetsPage'), ...HISTORY_FAILURES },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, records } = await readAsOf(db, request, async queries => {
        const span = await spanOf(queries, request.query);
        return assetsOfAddress(queries, request.params.principal, { span, offset, limit });
      });
      return page({ limit, offset, total }, records);
    },
  );
}
