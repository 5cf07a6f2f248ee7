import { Type } from 'typebox';
import { badRequest } from '../../../http/errors.ts';
import { page } from '../../../http/page.ts';
import { limit, offset, text } from '../../../http/params.ts';
import { pageOf } from '../../../http/schema.ts';
import type { Api } from '../../../http/server.ts';
import { resolveBitcoinAddress } from '../../../resources/burnchain/address.ts';
import { rewardSlots, rewardSlotsOf } from '../../../resources/burnchain/queries.ts';
import { RewardSlotSchema } from '../../../resources/burnchain/schema.ts';
import type { ApiContext } from '../../context.ts';

/** `/extended/v1/burnchain` (docs/spec/burnchain.md#reward-slot-holders). Reward slots change with burn blocks, which come without a new tip: they have no ETag. */
export function addBurnchainRoutes(api: Api, { db }: ApiContext): void {
  const querystring = Type.Object({ limit: limit(250, 96), offset: offset() });
  const response = { 200: pageOf(RewardSlotSchema, 'RewardSlotsPage') };

  api.get(
    '/extended/v1/burnchain/reward_slot_holders',
    {
      schema: {
        operationId: 'getBurnchainRewardSlotHolders',
        summary: 'List reward slots',
        description: 'Newest first.',
        tags: ['Stacking'],
        querystring,
        response,
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const { total, records } = await db.read(queries => rewardSlots(queries, { limit, offset }));
      return page({ limit, offset, total }, records);
    },
  );

  api.get(
    '/extended/v1/burnchain/reward_slot_holders/:address',
    {
      schema: {
        operationId: 'getBurnchainRewardSlotHoldersByAddress',
        summary: 'List the reward slots of an address',
        description: 'Newest first.',
        tags: ['Stacking'],
        params: Type.Object({
          address: text(
            'A Bitcoin address, or a Stacks address that stands for the Bitcoin address of the same key.',
            'mxDoj4WmnecZxmQerRekQGmhpzyinwAbQc',
          ),
        }),
        querystring,
        response,
      },
    },
    async request => {
      const { limit, offset } = request.query;
      const given = request.params.address.trim();
      const address = resolveBitcoinAddress(given);
      if (address === undefined) throw badRequest(`Address ${given} is not a valid Bitcoin or STX address.`);
      const { total, records } = await db.read(queries => rewardSlotsOf(queries, address, { limit, offset }));
      return page({ limit, offset, total }, records);
    },
  );
}
