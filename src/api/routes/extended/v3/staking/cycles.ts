import { principalParam } from '../../../../http/params.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { textForm } from '../../../../http/validation.ts';
import { cursorPage, cursorPageOf } from '../../../../paging/cursor-page.ts';
import { cycleStakerV3, pageOfCycleStakers, parseStakerCursor } from '../../../../records/staking/cycle-stakers.ts';
import { CycleStakerSchemaV3 } from '../../../../records/staking/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { CONTRACT_ID } from '../../../examples.ts';
import { cursorQuery, readList } from '../list.ts';

/** `/extended/v3/staking/cycles/:cycle_number/signers/:principal` (docs/spec/staking.md#stakers-of-a-cycle) */
export function addStakingCycleRoutesV3(api: Api, { db }: ApiContext): void {
  api.get(
    '/extended/v3/staking/cycles/:cycle_number/signers/:principal/stakers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStakingCycleSignerStakersV3',
        summary: 'List the stakers of a signer manager in a reward cycle',
        description: 'Of any cycle of PoX 5, past, running or to come: those with the most STX first.',
        tags: ['Stacking'],
        params: Type.Object({
          cycle_number: cycleNumber,
          principal: principalParam('The signer manager.', CONTRACT_ID),
        }),
        querystring: Type.Object(cursorQuery({ maximum: 200, default: 100 }, stakerCursor)),
        response: { 200: cursorPageOf(CycleStakerSchemaV3, 'StakingCycleStakersPage') },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const cycle = Number(params.cycle_number);
        const ofManager = { cycle, manager: params.principal };
        const page = await pageOfCycleStakers(queries, ofManager, query.limit, parseStakerCursor(query.cursor));
        return cursorPage(page, cycleStakerV3);
      }),
  );
}

const cycleNumber = Type.String({
  ...textForm('^[0-9]{1,9}$', 'the number of a cycle'),
  description: 'The number of a reward cycle.',
  examples: ['7'],
});

const stakerCursor = {
  pattern: '^[0-9]{1,39}:S[0-9A-Z]{20,41}(\\.[a-zA-Z][a-zA-Z0-9_-]{0,127})?$',
  description: '`<micro-STX>:<principal>`',
  example: '1000:ST1WX5N71TVZ7790XRB9M0XBRNKZ04JSD2T590MZN',
};
