import { notFound } from '../../../../http/errors.ts';
import { principalParam } from '../../../../http/params.ts';
import { FORMATS } from '../../../../http/principals.ts';
import { failure } from '../../../../http/schema.ts';
import type { Api } from '../../../../http/server.ts';
import { Type } from '../../../../http/type.ts';
import { at, PAST_QUERY, readAsOf } from '../../../../paging/as-of.ts';
import { cursorPage, cursorPageOf } from '../../../../paging/cursor-page.ts';
import { burnHeightOfTip } from '../../../../records/staking/bonds.ts';
import { ManagerDetailSchemaV3, ManagerSchemaV3, SignerStakerSchemaV3 } from '../../../../records/staking/schema.ts';
import {
  findManager,
  pageOfManagers,
  pageOfStakers,
  signerManagerV3,
  signerStakerV3,
} from '../../../../records/staking/signers.ts';
import { transactionOfId } from '../../../../records/transactions/positions-v3.ts';
import type { ApiContext } from '../../../context.ts';
import { CONTRACT_ID } from '../../../examples.ts';
import { cursorQuery, readLongList } from '../list.ts';

/** `/extended/v3/staking/signers` (docs/spec/staking.md#signer-managers) */
export function addStakingSignerRoutesV3(api: Api, { db, longReads }: ApiContext): void {
  const params = Type.Object({ principal: principalParam('The signer manager.', CONTRACT_ID) });

  api.get(
    '/extended/v3/staking/signers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStakingSignersV3',
        summary: 'List signer managers',
        description: 'By principal, each with the key that it registered last.',
        tags: ['Stacking'],
        querystring: Type.Object({ ...cursorQuery({ maximum: 250, default: 100 }, principalCursor), at: at() }),
        response: { 200: cursorPageOf(ManagerSchemaV3, 'StakingSignersPage') },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { limit, cursor } = request.query;
        const page = await pageOfManagers(queries, limit, cursor, budget);
        return cursorPage(page, manager => signerManagerV3(manager));
      }),
  );

  api.get(
    '/extended/v3/staking/signers/:principal',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStakingSignerV3',
        summary: 'Get a signer manager',
        tags: ['Stacking'],
        params,
        querystring: PAST_QUERY,
        response: { 200: ManagerDetailSchemaV3, 404: failure('The manager never registered a key') },
      },
    },
    request =>
      readAsOf(db, request, async queries => {
        const manager = await findManager(queries, request.params.principal);
        if (!manager) throw notFound('Staking signer not found');
        const transaction = await transactionOfId(queries, manager.tx_id);
        return JSON.stringify({ ...signerManagerV3(manager), transaction });
      }),
  );

  api.get(
    '/extended/v3/staking/signers/:principal/stakers',
    {
      config: { cache: 'tip' },
      schema: {
        operationId: 'getStakingSignerStakersV3',
        summary: 'List the stakers of a signer manager',
        description: 'By principal, at the burn height of the tip.',
        tags: ['Stacking'],
        params,
        querystring: Type.Object({ ...cursorQuery({ maximum: 200, default: 100 }, principalCursor), at: at() }),
        response: { 200: cursorPageOf(SignerStakerSchemaV3, 'StakingSignerStakersPage') },
      },
    },
    (request, reply) =>
      readLongList(longReads, request, reply, async (queries, budget) => {
        const { params, query } = request;
        const burnHeight = await burnHeightOfTip(queries);
        const ofManager = { signer: params.principal, burnHeight, budget };
        const page = await pageOfStakers(queries, ofManager, query.limit, query.cursor);
        return cursorPage(page, staker => signerStakerV3(staker, burnHeight));
      }),
  );
}

const principalCursor = {
  pattern: FORMATS['stacks-principal'].pattern,
  format: 'stacks-principal',
  description: 'its principal',
  example: CONTRACT_ID,
} as const;
