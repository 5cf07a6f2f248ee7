import { bitcoinToStacks } from '../../src/codec/index.ts';
import { resolveBitcoinAddress } from '../../src/resources/burnchain/address.ts';
import type { Entities } from '../entities.ts';
import { cold, deepOffsets, type Scenario, scenario } from './scenario.ts';

const BLOCKS = '/extended/v2/blocks';
const BURN_BLOCKS = '/extended/v2/burn-blocks';
const SLOTS = '/extended/v1/burnchain/reward_slot_holders';

/** Largest offset that E6 takes. */
const FARTHEST = 300;

/** Blocks of both chains, and what burn blocks pay: E2, E3, E4, E6, E9, E13, E16. */
export function blockScenarios(entities: Entities): Scenario[] {
  const { blocks, height, rewarded, rewardSlotCount } = entities;
  // Simulated chains also pay to some that are no addresses.
  const addresses = rewarded.quiet.map(({ name }) => name).filter(name => resolveBitcoinAddress(name) !== undefined);
  // An empty block is answered 404.
  const filled = blocks.filter(({ transactions }) => transactions > 0);
  const offsets = Array.from({ length: Math.min(FARTHEST, height - 1) + 1 }, (_, offset) => offset);
  return [
    scenario(
      'E2 transactions of a block',
      filled.map(b => `${BLOCKS}/${b.height}/transactions?limit=20`),
      513,
    ),
    scenario(
      'E2 transactions of a block by hash',
      filled.map(b => `${BLOCKS}/${b.indexBlockHash}/transactions?limit=20`),
      513,
    ),
    scenario(
      'E2 second page',
      blocks.filter(b => b.transactions > 10).map(b => `${BLOCKS}/${b.height}/transactions?limit=10&offset=10`),
    ),
    scenario('E2 of the latest block', [`${BLOCKS}/latest/transactions?limit=20`]),
    scenario(
      'E3 block by burn block hash',
      blocks.map(b => `/extended/v1/block/by_burn_block_hash/${b.burnHash}`),
    ),
    scenario(
      'E4 block',
      blocks.map(b => `${BLOCKS}/${b.height}`),
      3550,
    ),
    scenario(
      'E4 block by hash',
      blocks.map(b => `${BLOCKS}/${b.indexBlockHash}`),
      3550,
    ),
    scenario('E4 latest block', [`${BLOCKS}/latest`], 3550),
    scenario('E6 latest blocks, hot', [`${BLOCKS}?limit=20`], 1150),
    cold('E6 latest blocks, cold', [`${BLOCKS}?limit=20`], 1150),
    cold(
      'E6 by offset, cold',
      offsets.map(offset => `${BLOCKS}?limit=20&offset=${offset}`),
    ),
    cold(
      'E6 by cursor, cold',
      blocks.map(b => `${BLOCKS}?limit=20&cursor=${b.indexBlockHash}`),
    ),
    scenario(
      'E9 reward slots of an address',
      addresses.map(address => `${SLOTS}/${address}?limit=20`),
    ),
    scenario(
      'E9 of a Stacks address',
      addresses.flatMap(address => bitcoinToStacks(address) ?? []).map(address => `${SLOTS}/${address}?limit=20`),
    ),
    scenario('E13 reward slots', [`${SLOTS}?limit=20`], 2639),
    scenario(
      'E13 deep page',
      rewardSlotCount === 0 ? [] : deepOffsets(rewardSlotCount).map(offset => `${SLOTS}?limit=20&offset=${offset}`),
    ),
    scenario(
      'E16 burn block',
      blocks.map(b => `${BURN_BLOCKS}/${b.burnHeight}`),
    ),
    scenario(
      'E16 burn block by hash',
      blocks.map(b => `${BURN_BLOCKS}/${b.burnHash}`),
    ),
    scenario('E16 latest burn block', [`${BURN_BLOCKS}/latest`]),
  ];
}
