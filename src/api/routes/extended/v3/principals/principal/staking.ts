import { principalParam } from '../../../../../http/params.ts';
import type { Api } from '../../../../../http/server.ts';
import { Type } from '../../../../../http/type.ts';
import { cursorPage, cursorPageOf } from '../../../../../paging/cursor-page.ts';
import { burnHeightOfTip } from '../../../../../records/staking/bonds.ts';
import { stakingSummaryV3 } from '../../../../../records/staking/overview.ts';
import { pageOfPositions, stakingPositionV3 } from '../../../../../records/staking/positions.ts';
import { BondPositionSchemaV3, StakingSummarySchemaV3 } from '../../../../../records/staking/schema.ts';
import type { ApiContext } from '../../../../context.ts';
import { ADDRESS } from '../../../../examples.ts';
import { readList } from '../../list.ts';
import { bondAt, bondQuery } from '../../staking/bonds.ts';

/** `/extended/v3/principals/{principal}/staking` (docs/spec/staking.md#staking-of-a-principal) */
export function addPrincipalStakingRoutesV3(api: Api, { db }: ApiContext): void {
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
        response: { 200: StakingSummarySchemaV3 },
      },
    },
    request =>
      db.read(async queries =>
        JSON.stringify(await stakingSummaryV3(queries, request.params.principal, await burnHeightOfTip(queries))),
      ),
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
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const burnHeight = await burnHeightOfTip(queries);
        const page = await pageOfPositions(queries, params.principal, query.limit, bondAt(query.cursor));
        return cursorPage(page, position => stakingPositionV3(position, burnHeight));
      }),
  );
}
