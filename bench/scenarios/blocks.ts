import { resolveBitcoinAddress } from '../../src/api/records/burnchain/bitcoin-address.ts';
import { bitcoinToStacks } from '../../src/base/codec/index.ts';
import type { Entities } from '../entities.ts';
import { cold, deepOffsets, type Scenario, scenario } from './scenario.ts';

const BLOCKS = '/extended/v2/blocks';
const BURN_BLOCKS = '/extended/v2/burn-blocks';
const SLOTS = '/extended/v1/burnchain/reward_slot_holders';

/** Largest offset that getBlocksV2 takes. */
const FARTHEST = 300;

/** Blocks of both chains, and what burn blocks pay. */
export function blockScenarios(entities: Entities): Scenario[] {
  const { blocks, height, rewarded, rewardSlotCount, burnBlockCount } = entities;
  // Simulated chains also pay to some that are no addresses.
  const addresses = rewarded.quiet.map(({ name }) => name).filter(name => resolveBitcoinAddress(name) !== undefined);
  // An empty block gets 404.
  const filled = blocks.filter(({ transactions }) => transactions > 0);
  const offsets = Array.from({ length: Math.min(FARTHEST, height - 1) + 1 }, (_, offset) => offset);
  return [
    scenario(
      'getTransactionsByBlockV2',
      filled.map(b => `${BLOCKS}/${b.height}/transactions?limit=20`),
      513,
    ),
    scenario(
      'getTransactionsByBlockV2 by hash',
      filled.map(b => `${BLOCKS}/${b.indexBlockHash}/transactions?limit=20`),
      513,
    ),
    scenario(
      'getTransactionsByBlockV2 second page',
      blocks.filter(b => b.transactions > 10).map(b => `${BLOCKS}/${b.height}/transactions?limit=10&offset=10`),
    ),
    scenario('getTransactionsByBlockV2 of the latest block', [`${BLOCKS}/latest/transactions?limit=20`]),
    scenario('getBlockListV1 latest', ['/extended/v1/block?limit=20']),
    cold(
      'getBlockListV1 deep page, cold',
      deepOffsets(height).map(offset => `/extended/v1/block?limit=20&offset=${offset}`),
    ),
    scenario(
      'getBlockV2',
      blocks.map(b => `${BLOCKS}/${b.height}`),
      3550,
    ),
    scenario(
      'getBlockV2 by hash',
      blocks.map(b => `${BLOCKS}/${b.indexBlockHash}`),
      3550,
    ),
    scenario('getBurnBlocksV2', [`${BURN_BLOCKS}?limit=20`]),
    scenario(
      'getBurnBlocksV2 deep page',
      deepOffsets(burnBlockCount).map(offset => `${BURN_BLOCKS}?limit=20&offset=${offset}`),
    ),
    scenario('getBlockV2 latest', [`${BLOCKS}/latest`], 3550),
    scenario('getBlocksV2 latest, hot', [`${BLOCKS}?limit=20`], 1150),
    cold('getBlocksV2 latest, cold', [`${BLOCKS}?limit=20`], 1150),
    cold(
      'getBlocksV2 by offset, cold',
      offsets.map(offset => `${BLOCKS}?limit=20&offset=${offset}`),
    ),
    cold(
      'getBlocksV2 by cursor, cold',
      blocks.map(b => `${BLOCKS}?limit=20&cursor=${b.indexBlockHash}`),
    ),
    scenario(
      'getBurnchainRewardSlotHoldersByAddressV1',
      addresses.map(address => `${SLOTS}/${address}?limit=20`),
    ),
    scenario(
      'getBurnchainRewardSlotHoldersByAddressV1 of a Stacks address',
      addresses.flatMap(address => bitcoinToStacks(address) ?? []).map(address => `${SLOTS}/${address}?limit=20`),
    ),
    scenario('getBurnchainRewardSlotHoldersV1', [`${SLOTS}?limit=20`], 2639),
    scenario(
      'getBurnchainRewardSlotHoldersV1 deep page',
      rewardSlotCount === 0 ? [] : deepOffsets(rewardSlotCount).map(offset => `${SLOTS}?limit=20&offset=${offset}`),
    ),
    scenario(
      'getBurnBlockV2',
      blocks.map(b => `${BURN_BLOCKS}/${b.burnHeight}`),
    ),
    scenario(
      'getBurnBlockV2 by hash',
      blocks.map(b => `${BURN_BLOCKS}/${b.burnHash}`),
    ),
    scenario('getStxSupplyV1', ['/extended/v1/stx_supply']),
    scenario(
      'getStxSupplyV1 at a height',
      blocks.map(b => `/extended/v1/stx_supply?height=${b.height}`),
    ),
    scenario('getBurnBlockV2 latest', [`${BURN_BLOCKS}/latest`]),
  ];
}
