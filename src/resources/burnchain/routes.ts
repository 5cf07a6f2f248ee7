import { Type } from 'typebox';
import { badRequest } from '../../http/errors.ts';
import { page } from '../../http/page.ts';
import { limit, offset, text } from '../../http/params.ts';
import type { Api } from '../../http/server.ts';
import type { ApiContext } from '../api-context.ts';
import { resolveBitcoinAddress } from './address.ts';
import { rewardSlots, rewardSlotsOf } from './queries.ts';
import { RewardSlotsPage } from './schema.ts';

/**
 * `/extended/v1/burnchain/reward_slot_holders`: getBurnchainRewardSlotHoldersByAddress, getBurnchainRewardSlotHolders
 * (docs/spec/burnchain.md#reward-slot-holders). They change with burn blocks, which come without a new tip: there is no ETag.
 */
export function addRewardSlotRoutes(api: Api, { db }: ApiContext): void {
  const path = '/extended/v1/burnchain/reward_slot_holders';
  const querystring = Type.Object({ limit: limit(250, 96), offset: offset() });
  const config = { response: RewardSlotsPage };

  api.get(path, { config, schema: { querystring } }, async request => {
    const { limit, offset } = request.query;
    const { total, records } = await db.read(queries => rewardSlots(queries, { limit, offset }));
    return page({ limit, offset, total }, records);
  });

  api.get(
    `${path}/:address`,
    { config, schema: { params: Type.Object({ address: text() }), querystring } },
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
