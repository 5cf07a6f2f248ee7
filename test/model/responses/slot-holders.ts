import { isBitcoinAddress, stacksToBitcoin } from '../../../src/base/codec/index.ts';
import { type ApiResponse, failed, numberOf, ok, page, type Route } from '../route.ts';
import type { World } from '../world.ts';

interface Slot {
  readonly canonical: true;
  readonly burn_block_hash: string;
  readonly burn_block_height: number;
  readonly address: string;
  readonly slot_index: number;
}

/** Of canonical burn blocks, the newest first; of one block the last slot first (docs/spec/burnchain.md#reward-slot-holders). */
export const slotsOf = ({ burnBlocks }: Pick<World, 'burnBlocks'>): Slot[] =>
  burnBlocks
    .flatMap(({ payload, hash, height }) =>
      payload.reward_slot_holders.map(
        (address: string, slot_index: number): Slot => ({
          canonical: true,
          burn_block_hash: hash,
          burn_block_height: height,
          address,
          slot_index,
        }),
      ),
    )
    .reverse();

function slotPage(slots: readonly Slot[], query: URLSearchParams): ApiResponse {
  return ok(page(slots, numberOf(query, 'limit', 96) || 96, numberOf(query, 'offset', 0), slot => slot));
}

/** getBurnchainRewardSlotHoldersV1. */
const holders: Route['respond'] = (world, _params, query) => slotPage(slotsOf(world), query);

/** getBurnchainRewardSlotHoldersByAddressV1. */
const holdersOf: Route['respond'] = (world, { address = '' }, query) => {
  const wanted = bitcoinAddress(address.trim());
  if (wanted === undefined) return failed(400);
  return slotPage(
    slotsOf(world).filter(slot => slot.address === wanted),
    query,
  );
};

/** Segwit addresses may be written in capitals; the hash of a Stacks address has a Bitcoin address. */
export function bitcoinAddress(text: string): string | undefined {
  if (!isBitcoinAddress(text)) return stacksToBitcoin(text);
  return /^(bc|tb|bcrt)1/i.test(text) ? text.toLowerCase() : text;
}

export const slotHolderRoutes: readonly Route[] = [
  { template: '/extended/v1/burnchain/reward_slot_holders', respond: holders },
  { template: '/extended/v1/burnchain/reward_slot_holders/{address}', respond: holdersOf },
];
