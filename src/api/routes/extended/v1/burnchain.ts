import { limit, offset, text } from '../../../http/params.ts';
import { pageOf, pageWithoutTotal } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { Type } from '../../../http/type.ts';
import { at, PAST_QUERY, readAsOf, readLongAsOf } from '../../../paging/as-of.ts';
import { page } from '../../../paging/page.ts';
import { bitcoinAddress } from '../../../records/burnchain/bitcoin-address.ts';
import {
  burnRewardsOf,
  rewardSlots,
  rewardSlotsOf,
  rewards,
  rewardTotalOf,
} from '../../../records/burnchain/queries.ts';
import { RewardSchemaV1, RewardSlotSchemaV1, RewardTotalSchemaV1 } from '../../../records/burnchain/schema.ts';
import type { ApiContext } from '../../context.ts';

/**
 * `/extended/v1/burnchain` (docs/spec/burnchain.md#reward-slot-holders). All responses change with burn blocks, which can arrive without a new tip, so
 * they have no ETag.
 */
export function addBurnchainRoutesV1(api: Api, { db, longReads }: ApiContext): void {
  const querystring = Type.Object({ limit: limit(250, 96), offset: offset(), at: at() });
  const params = Type.Object({
    address: text(
      'A Bitcoin address, or a Stacks address, which means the Bitcoin address of the same key.',
      'mxDoj4WmnecZxmQerRekQGmhpzyinwAbQc',
    ),
  });
  const common = { description: 'Newest first.', tags: ['Stacking'], querystring };
  const slotsPage = { response: { 200: pageOf(RewardSlotSchemaV1, 'RewardSlotsPage') } };
  const rewardsPage = { response: { 200: pageWithoutTotal(RewardSchemaV1, 'RewardsPage') } };

  api.get(
    '/extended/v1/burnchain/reward_slot_holders',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getBurnchainRewardSlotHoldersV1',
        deprecated: true,
        summary: 'List reward slots',
        ...common,
        ...slotsPage,
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, records } = await readAsOf(db, request, queries => rewardSlots(queries, { limit, offset }));
      return page({ limit, offset, total }, records);
    },
  );

  api.get(
    '/extended/v1/burnchain/reward_slot_holders/:address',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getBurnchainRewardSlotHoldersByAddressV1',
        deprecated: true,
        summary: 'List the reward slots of an address',
        ...common,
        params,
        ...slotsPage,
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const address = bitcoinAddress(request.params.address);
      const { total, records } = await readAsOf(db, request, queries =>
        rewardSlotsOf(queries, address, { limit, offset }),
      );
      return page({ limit, offset, total }, records);
    },
  );

  api.get(
    '/extended/v1/burnchain/rewards',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getBurnchainRewardListV1',
        deprecated: true,
        summary: 'List rewards of stackers',
        ...common,
        ...rewardsPage,
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { records } = await readAsOf(db, request, queries => rewards(queries, { limit, offset }));
      return page({ limit, offset }, records);
    },
  );

  api.get(
    '/extended/v1/burnchain/rewards/:address',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getBurnchainRewardListByAddressV1',
        deprecated: true,
        summary: 'List the rewards of an address',
        ...common,
        params,
        ...rewardsPage,
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const address = bitcoinAddress(request.params.address);
      const { records } = await readAsOf(db, request, queries => burnRewardsOf(queries, address, { limit, offset }));
      return page({ limit, offset }, records);
    },
  );

  api.get(
    '/extended/v1/burnchain/rewards/:address/total',
    {
      config: { cache: 'tips' },
      schema: {
        operationId: 'getBurnchainRewardsTotalByAddressV1',
        deprecated: true,
        summary: 'Get the total rewards of an address',
        tags: ['Stacking'],
        params,
        querystring: PAST_QUERY,
        response: { 200: RewardTotalSchemaV1 },
      },
    },
    async request => {
      const address = bitcoinAddress(request.params.address);
      const amount = await readLongAsOf(longReads, request, (queries, budget) =>
        rewardTotalOf(queries, budget, address),
      );
      return JSON.stringify({ reward_recipient: address, reward_amount: amount });
    },
  );
}
