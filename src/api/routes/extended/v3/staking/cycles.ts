import { notFound } from '../../../../http/errors.ts';
import { principalParam } from '../../../../http/params.ts';
import { failure } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { textForm } from '../../../../http/validation.ts';
import { at } from '../../../../paging/as-of.ts';
import { cursorPage, cursorPageOf } from '../../../../paging/cursor-page.ts';
import { cycleStakerV3, pageOfCycleStakers, parseStakerCursor } from '../../../../records/staking/cycle-stakers.ts';
import { type CycleSelector, selectCycle } from '../../../../records/staking/cycles.ts';
import { CycleStakerSchemaV3 } from '../../../../records/staking/schema.ts';
import type { ApiContext } from '../../../context.ts';
import { CONTRACT_ID } from '../../../examples.ts';
import { cursorQuery, readLongList } from '../list.ts';

/** `/extended/v3/staking/cycles/:cycle_number/signers/:principal` (docs/spec/staking.md#stakers-of-a-cycle) */
export function addStakingCycleRoutesV3(api: Api, { longReads, poxCycles }: ApiContext): void {
  api.get(
    '/extended/v3/staking/cycles/:cycle_number/signers/:principal/stakers',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getStakingCycleSignerStakersV3',
        summary: 'List the stakers of a signer manager in a reward cycle',
        description: 'Of any cycle of PoX 5, past, running or to come: those with the most STX first.',
        tags: ['Stacking'],
        params: Type.Object({
          cycle_number: cycleNumber,
          principal: principalParam('The signer manager.', CONTRACT_ID),
        }),
        querystring: Type.Object({ ...cursorQuery({ maximum: 200, default: 100 }, stakerCursor), at: at() }),
        response: {
          200: cursorPageOf(CycleStakerSchemaV3, 'StakingCycleStakersPage'),
          404: failure('A name stands for no cycle: before the first one'),
        },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { params, query } = request;
        const cycle = await selectCycle(queries, selectorOf(params.cycle_number), poxCycles);
        if (cycle === undefined) throw notFound('PoX cycle not found');
        const ofManager = { cycle, manager: params.principal };
        const page = await pageOfCycleStakers(queries, ofManager, query.limit, parseStakerCursor(query.cursor), budget);
        return cursorPage(page, cycleStakerV3);
      }),
  );
}

/** The path parameter that names a cycle. */
export const cycleNumber = Type.String({
  ...textForm('^([0-9]{1,9}|current|previous|next)$', 'current, previous, next, or the number of a cycle'),
  description: 'The number of a reward cycle; `current`, which has the Bitcoin tip, `previous` or `next`.',
  examples: ['current', '7'],
});

/** The cycle that it names. */
export const selectorOf = (named: string): CycleSelector =>
  named === 'current' || named === 'previous' || named === 'next' ? named : Number(named);

const stakerCursor = {
  pattern: '^[0-9]{1,39}:S[0-9A-Z]{20,41}(\\.[a-zA-Z][a-zA-Z0-9_-]{0,127})?$',
  description: '`<micro-STX>:<principal>`',
  example: '1000:ST1WX5N71TVZ7790XRB9M0XBRNKZ04JSD2T590MZN',
};
