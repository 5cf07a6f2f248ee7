import { notFound } from '../../../http/errors.ts';
import { MAX_INTEGER } from '../../../http/params.ts';
import { failure } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { textForm } from '../../../http/validation.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../paging/as-of.ts';
import { cursorPage, cursorPageOf, cursorPageOfRecords, pageFrom } from '../../../paging/cursor-page.ts';
import { minerTotals } from '../../../records/burnchain/queries.ts';
import { findCycle } from '../../../records/pox/signer-queries.ts';
import { burnHeightOfTip } from '../../../records/staking/bonds.ts';
import { cycleSignersV3, listOfSigners, signersOfCycle } from '../../../records/staking/cycle-signers.ts';
import {
  cyclesOfSigner,
  listOfCycles,
  selectCycle,
  signedCycleV3,
  stakingCycleV3,
} from '../../../records/staking/cycles.ts';
import { stakingOverview } from '../../../records/staking/overview.ts';
import {
  CycleSignerSchemaV3,
  MinerTotalsSchemaV3,
  SignedCycleSchemaV3,
  StakingCycleSchemaV3,
  StakingOverviewSchemaV3,
} from '../../../records/staking/schema.ts';
import type { ApiContext } from '../../context.ts';
import { cursorQuery, readList } from './list.ts';
import { cycleNumber, selectorOf } from './staking/cycles.ts';

/** `/extended/v3/staking` as a whole, and by cycle (docs/spec/staking.md#overview) */
export function addStakingRoutesV3(api: Api, { db, longReads, network, poxCycles }: ApiContext): void {
  api.get(
    '/extended/v3/staking',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStakingOverviewV3',
        summary: 'Get the total amounts staked',
        description: 'In PoX 5, at the burn height of the tip.',
        tags: ['Stacking'],
        querystring: PAST_QUERY,
        response: { 200: StakingOverviewSchemaV3 },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) =>
        JSON.stringify(await stakingOverview(queries, await burnHeightOfTip(queries), budget)),
      ),
  );

  api.get(
    '/extended/v3/staking/rewards',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getStakingRewardsV3',
        summary: 'Get reward totals',
        description: 'Satoshis of all known burn blocks: paid as rewards, and burnt.',
        tags: ['Stacking'],
        querystring: PAST_QUERY,
        response: { 200: MinerTotalsSchemaV3 },
      },
    },
    request => readAsOf(db, request, async queries => JSON.stringify(await minerTotals(queries))),
  );

  api.get(
    '/extended/v3/staking/cycles/:cycle_number',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getStakingCycleV3',
        summary: 'Get a reward cycle',
        description: 'When it is, what is locked in it, who takes part, and what it paid.',
        tags: ['Stacking'],
        params: Type.Object({ cycle_number: cycleNumber }),
        querystring: PAST_QUERY,
        response: {
          200: StakingCycleSchemaV3,
          404: failure('A name of a cycle before the first one'),
        },
      },
    },
    request =>
      readLongAsOf(longReads, request, async (queries, budget) => {
        const number = await selectCycle(queries, selectorOf(request.params.cycle_number), poxCycles);
        if (number === undefined) throw notFound('PoX cycle not found');
        return JSON.stringify(await stakingCycleV3(queries, number, { network, poxCycles }, budget));
      }),
  );

  api.get(
    '/extended/v3/staking/signers/:signer_key/cycles',
    {
      config: { cache: 'tip', internal: true },
      schema: {
        operationId: 'getStakingSignerCyclesV3',
        summary: 'List the reward cycles of a signer',
        description: 'Those whose reward set has the key, the newest first.',
        tags: ['Stacking'],
        params: Type.Object({ signer_key: signerKey }),
        querystring: Type.Object({
          ...cursorQuery(
            { maximum: 60, default: 20 },
            { ...textForm('^[0-9]{1,60}$', 'digits'), description: '`<number of the cycle>`', example: '7' },
          ),
          at: at(),
        }),
        response: { 200: cursorPageOf(SignedCycleSchemaV3, 'StakingSignedCyclesPage') },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const from = query.cursor === undefined ? undefined : Math.min(Number(query.cursor), MAX_INTEGER);
        const { list, first } = listOfCycles(await cyclesOfSigner(queries, params.signer_key), from);
        const page = await pageFrom(list, first, query.limit);
        return cursorPage(page, row => signedCycleV3(row, poxCycles));
      }),
  );

  api.get(
    '/extended/v3/staking/cycles/:cycle_number/signers',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getStakingCycleSignersV3',
        summary: 'List the signers of a reward cycle with their managers',
        description: 'The heaviest first, then by key.',
        tags: ['Stacking'],
        params: Type.Object({ cycle_number: cycleNumber }),
        querystring: Type.Object({ ...cursorQuery({ maximum: 250, default: 100 }, keyCursor), at: at() }),
        response: {
          200: cursorPageOf(CycleSignerSchemaV3, 'StakingCycleSignersPage'),
          404: failure('The cycle has no reward set, or the cursor is no signer of it'),
        },
      },
    },
    ({ params, query }, reply) =>
      readList(db, query, reply, async queries => {
        const number = await selectCycle(queries, selectorOf(params.cycle_number), poxCycles);
        if (number === undefined) throw notFound('PoX cycle not found');
        const cycle = await findCycle(queries, number);
        if (!cycle) throw notFound('No reward set for this PoX cycle');
        const signers = await signersOfCycle(queries, cycle);
        const { list, first } = listOfSigners(signers, query.cursor);
        if (first < 0) throw notFound('Cursor not found');
        const page = await pageFrom(list, first, query.limit);
        const records = await cycleSignersV3(queries, cycle, signers, page.rows);
        return cursorPageOfRecords(page, records);
      }),
  );
}

const SIGNER_KEY = textForm('^(0x)?[0-9a-fA-F]{66}$', 'a public key (66 hex digits, with or without 0x)');
const KEY = '0x03c789b21a7b3daac009fe5e4c23254f2129f0565f4f8b76d8bc7da64e1351449c';

const signerKey = Type.String({
  ...SIGNER_KEY,
  description: 'Public key of the signer in hex; `0x` may be left out.',
  examples: [KEY],
});
const keyCursor = {
  ...SIGNER_KEY,
  description: 'its signing key',
  example: KEY,
};
