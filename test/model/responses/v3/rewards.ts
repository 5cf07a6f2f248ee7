/** Rewards of miners (docs/spec/addresses.md#mining). */
import { times } from '../../records/v3-transaction.ts';
import type { Block, Payload, World } from '../../world.ts';

/** Rewards of miners in the order in which they matured; those of nothing are left out. */
const matured = (world: World) =>
  world.blocks.flatMap(block =>
    (block.payload.matured_miner_rewards as Payload[]).flatMap((reward, position) => {
      const { recipient, coinbase_amount, tx_fees_anchored, ...streamed } = reward;
      const coinbase = BigInt(coinbase_amount);
      const { tx_fees_streamed_confirmed: confirmed, tx_fees_streamed_produced: produced } = streamed;
      const fees = BigInt(tx_fees_anchored) + BigInt(confirmed) + BigInt(produced);
      return coinbase + fees > 0n ? [{ block, position, reward, recipient: String(recipient), coinbase, fees }] : [];
    }),
  );

export const minedBy = (world: World, principal: string) =>
  matured(world).filter(({ recipient }) => recipient === principal);

/** As a list of rewards has it. */
export function rewardRecord(
  world: World,
  { block, position, reward, recipient, coinbase, fees }: ReturnType<typeof matured>[number],
) {
  const source = world.blocks.find(({ indexHash }) => indexHash === sourceOf(reward));
  return {
    id: `${block.indexHash}:${position}`,
    recipient,
    miner: reward.miner_address ?? recipient,
    block: blockSummary(block),
    source_block: source ? blockSummary(source) : null,
    coinbase: String(coinbase),
    fees: String(fees),
    total: String(coinbase + fees),
  };
}

const sourceOf = (reward: Payload): string => reward.from_index_consensus_hash.toLowerCase();

/** The rewards for a block. */
export const rewardsFor = (world: World, indexHash: string) =>
  matured(world)
    .filter(({ reward }) => sourceOf(reward) === indexHash)
    .map(row => rewardRecord(world, row));

const blockSummary = ({ height, hash, indexHash, payload, burnTime }: Block) => ({
  height,
  hash,
  index_hash: indexHash,
  ...times(payload.block_time || burnTime),
});
