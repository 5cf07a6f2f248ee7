import { endOfBlocks } from '../../../../../ingest/indexer/horizon.ts';
import { amount } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { PAST_QUERY, readAsOf } from '../../../../paging/as-of.ts';
import { stxSupplyAt } from '../../../../records/supply/queries.ts';
import { holdersFrom } from '../../../../records/token-balances/holders.ts';
import type { ApiContext } from '../../../context.ts';
import { readLongList } from '../list.ts';
import { HoldersPageV3, holdersQuery, holdersText, parseHolderCursor } from './holders.ts';

/** Micro-STX that there will be in 2050. */
const IN_2050 = '2318000000000000';

export const StxSupplySchemaV3 = Type.Object(
  { total: amount('Micro-STX now', true), projected_total_2050: amount('Micro-STX in 2050') },
  { title: 'StxTotalSupply' },
);

/** `/extended/v3/tokens/stx` (docs/spec/supply.md#version-3, docs/spec/addresses.md#holders) */
export function addStxRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  api.get(
    '/extended/v3/tokens/stx/supply',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStxTotalSupplyV3',
        summary: 'Get the total supply in micro-STX',
        tags: ['Tokens'],
        querystring: PAST_QUERY,
        response: {
          200: StxSupplySchemaV3,
        },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const total = await stxSupplyAt(queries, endOfBlocks(queries));
        return JSON.stringify({ total: String(total), projected_total_2050: IN_2050 });
      }),
  );

  api.get(
    '/extended/v3/tokens/stx/holders',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStxHoldersV3',
        summary: 'List the holders of STX',
        description: 'The richest first, then by principal; only those with a balance above zero. Locked STX count.',
        tags: ['Tokens'],
        querystring: holdersQuery(),
        response: { 200: HoldersPageV3 },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { limit, cursor } = request.query;
        return holdersText(await holdersFrom(queries, 'stx', limit, parseHolderCursor(cursor), budget));
      }),
  );
}
