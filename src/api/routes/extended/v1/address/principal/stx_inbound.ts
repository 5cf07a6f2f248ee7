import { pageOf } from '../../../../../http/schema.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { readAsOf } from '../../../../../paging/as-of.ts';
import { page } from '../../../../../paging/page.ts';
import { inboundOfAddress } from '../../../../../records/addresses/event-pages.ts';
import { InboundSchemaV1 } from '../../../../../records/addresses/transfers-v1.ts';
import { spanOf } from '../../../../../records/blocks/moment.ts';
import type { ApiContext } from '../../../../context.ts';
import { HISTORY_FAILURES, HISTORY_PARAMS, historyOfBlockQuery } from './history.ts';

/** `/extended/v1/address/:principal/stx_inbound` (docs/spec/addresses.md#inbound-stx) */
export function addAccountInboundRouteV1(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v1/address/:principal/stx_inbound',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getAccountInboundV1',
        deprecated: true,
        summary: 'List transfers of STX with a memo to a principal',
        description:
          'Newest first: token transfers, whatever their status, and events with a memo. A transfer whose event has its memo is listed as both.',
        tags: ['Addresses'],
        params: HISTORY_PARAMS,
        querystring: Type.Object(historyOfBlockQuery(50)),
        response: { 200: pageOf(InboundSchemaV1, 'AccountInboundPage'), ...HISTORY_FAILURES },
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, records } = await readAsOf(db, request, async queries => {
        const span = await spanOf(queries, request.query);
        return inboundOfAddress(queries, request.params.principal, { span, offset, limit });
      });
      return page({ limit, offset, total }, records);
    },
  );
}
