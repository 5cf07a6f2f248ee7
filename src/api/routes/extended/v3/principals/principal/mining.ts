import { addressOrContract } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, PAST_QUERY, readLongAsOf } from '../../../../../paging/as-of.ts';
import { cursorPageOf, cursorPageOfRecords } from '../../../../../paging/cursor-page.ts';
import {
  MiningRewardSchemaV3,
  MiningSchemaV3,
  miningRewardsV3,
  miningV3,
  pageOfRewards,
  REWARD_CURSOR,
} from '../../../../../records/addresses/mining.ts';
import type { ApiContext } from '../../../../context.ts';
import { MINER } from '../../../../examples.ts';
import { cursorQuery, readList } from '../../list.ts';

/** `/extended/v3/principals/{principal}/mining` (docs/spec/addresses.md#mining) */
export function addPrincipalMiningRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  const params = Type.Object({ principal: addressOrContract(MINER) });

  api.get(
    '/extended/v3/principals/:principal/mining',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalMiningV3',
        summary: 'Get what a principal got as a miner',
        description: 'All its rewards that have matured: their number, and what they add up to.',
        tags: ['Addresses'],
        params,
        querystring: PAST_QUERY,
        response: { 200: MiningSchemaV3 },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) =>
        JSON.stringify(await miningV3(queries, budget, request.params.principal)),
      ),
  );

  api.get(
    '/extended/v3/principals/:principal/mining/rewards',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalMiningRewardsV3',
        summary: 'List the mining rewards of a principal',
        description: 'The one that matured last first. Rewards of nothing are left out.',
        tags: ['Addresses'],
        params,
        querystring: Type.Object({
          ...cursorQuery(
            { maximum: 200, default: 20 },
            {
              pattern: REWARD_CURSOR,
              description: '`<height of the block in which it matured>:<place among the rewards of the block>`',
              example: '20:0',
            },
          ),
          at: at(),
        }),
        response: { 200: cursorPageOf(MiningRewardSchemaV3, 'MiningRewardsPage') },
      },
    },
    ({ params: { principal }, query }, reply) =>
      readList(db, query, reply, async queries => {
        const page = await pageOfRewards(queries, principal, query);
        return cursorPageOfRecords(page, await miningRewardsV3(queries, page.rows));
      }),
  );
}
