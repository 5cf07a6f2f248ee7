import { principalParam } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { at, PAST_QUERY, readLongAsOf } from '../../../../../paging/as-of.ts';
import { cursorPage, cursorPageOf, cursorPageOfRecords, pageFrom } from '../../../../../paging/cursor-page.ts';
import { requirePrints } from '../../../../../records/pox/signer-queries.ts';
import { burnHeightOfTip } from '../../../../../records/staking/bonds.ts';
import {
  listOfRewardedCycles,
  rewardedCycles,
  rewardedCyclesV3,
} from '../../../../../records/staking/cycle-rewards.ts';
import { stakingSummaryV3 } from '../../../../../records/staking/overview.ts';
import { pageOfPositions, stakingPositionV3 } from '../../../../../records/staking/positions.ts';
import {
  BondPositionSchemaV3,
  CycleRewardsSchemaV3,
  StakingSummarySchemaV3,
} from '../../../../../records/staking/schema.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS } from '../../../../examples.ts';
import { cursorQuery, readLongList } from '../../list.ts';
import { bondAt, bondQuery } from '../../staking/bonds.ts';

/** `/extended/v3/principals/{principal}/staking` (docs/spec/staking.md#staking-of-a-principal) */
export function addPrincipalStakingRoutesV3(api: Api, { longReads, poxCycles }: ApiContext): void {
  const params = Type.Object({ principal: principalParam('The staker.', ADDRESS) });

  api.get(
    '/extended/v3/principals/:principal/staking',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalStakingSummaryV3',
        summary: 'Get the staking positions of a principal',
        description: 'In PoX 5, and what it has earned; zeros for one that never staked.',
        tags: ['Stacking'],
        params,
        querystring: PAST_QUERY,
        response: { 200: StakingSummarySchemaV3 },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        await requirePrints(queries, budget);
        const burnHeight = await burnHeightOfTip(queries);
        return JSON.stringify(await stakingSummaryV3(queries, request.params.principal, burnHeight));
      }),
  );

  api.get(
    '/extended/v3/principals/:principal/staking/bonds',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalBondPositionsV3',
        summary: 'List the bond positions of a principal',
        description: 'The bond with the lowest number first.',
        tags: ['Stacking'],
        params,
        querystring: bondQuery(),
        response: { 200: cursorPageOf(BondPositionSchemaV3, 'BondPositionsPage') },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { params, query } = request;
        await requirePrints(queries, budget);
        const burnHeight = await burnHeightOfTip(queries);
        const page = await pageOfPositions(queries, params.principal, query.limit, bondAt(query.cursor));
        return cursorPage(page, position => stakingPositionV3(position, burnHeight));
      }),
  );

  api.get(
    '/extended/v3/principals/:principal/staking/rewards',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getPrincipalStakingRewardsV3',
        summary: 'List the staking rewards of a principal by reward cycle',
        description: 'Earned, claimed and claimable in each cycle of PoX 5 that paid, the newest first.',
        tags: ['Stacking'],
        params,
        querystring: Type.Object({ ...cursorQuery({ maximum: 100, default: 20 }, cycleCursor), at: at() }),
        response: { 200: cursorPageOf(CycleRewardsSchemaV3, 'StakingCycleRewardsPage') },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { params, query } = request;
        await requirePrints(queries, budget);
        const cycles = await rewardedCycles(queries, params.principal);
        const from = query.cursor === undefined ? undefined : Number(query.cursor);
        const { list, first } = listOfRewardedCycles(cycles, from);
        const page = await pageFrom(list, first, query.limit);
        return cursorPageOfRecords(page, await rewardedCyclesV3(queries, page.rows, poxCycles));
      }),
  );
}

const cycleCursor = {
  pattern: '^[0-9]{1,20}$',
  description: 'the number of its cycle',
  example: '142',
} as const;
