import { resolveBitcoinAddress } from '../../src/api/records/burnchain/bitcoin-address.ts';
import { bitcoinToStacks } from '../../src/base/codec/index.ts';
import type { Entities } from '../entities.ts';
import { cold, deepOffsets, namesOf, type Scenario, scenario } from './scenario.ts';

const BLOCKS = '/extended/v2/blocks';
const BURN_BLOCKS = '/extended/v2/burn-blocks';
const REWARDS = '/extended/v1/burnchain/rewards';
const SLOTS = '/extended/v1/burnchain/reward_slot_holders';

/** Largest offset that getBlocks takes. */
const FARTHEST = 300;

/**
 * Blocks of both chains, and what burn blocks pay: getTransactionsByBlock and the same by hash or height, getBlock, getBlocks, their older forms,
 * getBurnchainRewardSlotHoldersByAddress, getBurnchainRewardSlotHolders, getBurnBlock; getStatus.
 */
export function blockScenarios(entities: Entities): Scenario[] {
  const { blocks, height, rewarded, rewardSlotCount, payees, poxTxHeights, tenures, burnBlockCount, transactions } =
    entities;
  // Simulated chains also pay to some that are no addresses.
  const addresses = rewarded.quiet.map(({ name }) => name).filter(name => resolveBitcoinAddress(name) !== undefined);
  // An empty block gets 404.
  const filled = blocks.filter(({ transactions }) => transactions > 0);
  const offsets = Array.from({ length: Math.min(FARTHEST, height - 1) + 1 }, (_, offset) => offset);
  return [
    scenario(
      'getTransactionsByBlock',
      filled.map(b => `${BLOCKS}/${b.height}/transactions?limit=20`),
      513,
    ),
    scenario(
      'getTransactionsByBlock by hash',
      filled.map(b => `${BLOCKS}/${b.indexBlockHash}/transactions?limit=20`),
      513,
    ),
    scenario(
      'getTransactionsByBlock second page',
      blocks.filter(b => b.transactions > 10).map(b => `${BLOCKS}/${b.height}/transactions?limit=10&offset=10`),
    ),
    scenario(
      'getTransactionsByBlockHash',
      blocks.map(b => `/extended/v1/tx/block/${b.hash}?limit=20`),
    ),
    scenario(
      'getTransactionsByBlockHeight',
      blocks.map(b => `/extended/v1/tx/block_height/${b.height}?limit=20`),
    ),
    scenario('getTransactionsByBlock of the latest block', [`${BLOCKS}/latest/transactions?limit=20`]),
    scenario(
      'getBlockByBurnBlockHash',
      blocks.map(b => `/extended/v1/block/by_burn_block_hash/${b.burnHash}`),
    ),
    scenario('getBlockList latest', ['/extended/v1/block?limit=20']),
    cold(
      'getBlockList deep page, cold',
      deepOffsets(height).map(offset => `/extended/v1/block?limit=20&offset=${offset}`),
    ),
    scenario(
      'getBlockByHash',
      blocks.map(b => `/extended/v1/block/${b.hash}`),
    ),
    scenario(
      'getBlockByHeight',
      blocks.map(b => `/extended/v1/block/by_height/${b.height}`),
    ),
    scenario(
      'getBlockByBurnBlockHeight',
      blocks.map(b => `/extended/v1/block/by_burn_block_height/${b.burnHeight}`),
    ),
    scenario(
      'getBlock',
      blocks.map(b => `${BLOCKS}/${b.height}`),
      3550,
    ),
    scenario(
      'getBlock by hash',
      blocks.map(b => `${BLOCKS}/${b.indexBlockHash}`),
      3550,
    ),
    scenario(
      'getSignerSignaturesForBlock',
      blocks.map(b => `${BLOCKS}/${b.height}/signer-signatures`),
    ),
    scenario('getAverageBlockTimes', [`${BLOCKS}/average-times`]),
    scenario(
      'getBlockByBlockTime',
      transactions.map(({ burnTime }) => `${BLOCKS}/by-block-time/${burnTime + 86_400}`),
    ),
    scenario(
      'getTenureBlocks',
      tenures.map(tenure => `/extended/v2/block-tenures/${tenure}/blocks`),
    ),
    scenario('getBurnBlocks', [`${BURN_BLOCKS}?limit=20`]),
    scenario(
      'getBurnBlocks deep page',
      deepOffsets(burnBlockCount).map(offset => `${BURN_BLOCKS}?limit=20&offset=${offset}`),
    ),
    scenario(
      'getBlocksByBurnBlock',
      blocks.map(b => `${BURN_BLOCKS}/${b.burnHash}/blocks`),
    ),
    scenario('getBlock latest', [`${BLOCKS}/latest`], 3550),
    scenario('getBlocks latest, hot', [`${BLOCKS}?limit=20`], 1150),
    cold('getBlocks latest, cold', [`${BLOCKS}?limit=20`], 1150),
    cold(
      'getBlocks by offset, cold',
      offsets.map(offset => `${BLOCKS}?limit=20&offset=${offset}`),
    ),
    cold(
      'getBlocks by cursor, cold',
      blocks.map(b => `${BLOCKS}?limit=20&cursor=${b.indexBlockHash}`),
    ),
    scenario(
      'getBurnchainRewardSlotHoldersByAddress',
      addresses.map(address => `${SLOTS}/${address}?limit=20`),
    ),
    scenario(
      'getBurnchainRewardSlotHoldersByAddress of a Stacks address',
      addresses.flatMap(address => bitcoinToStacks(address) ?? []).map(address => `${SLOTS}/${address}?limit=20`),
    ),
    scenario('getBurnchainRewardSlotHolders', [`${SLOTS}?limit=20`], 2639),
    scenario(
      'getBurnchainRewardSlotHolders deep page',
      rewardSlotCount === 0 ? [] : deepOffsets(rewardSlotCount).map(offset => `${SLOTS}?limit=20&offset=${offset}`),
    ),
    scenario('getBurnchainRewardList', [`${REWARDS}?limit=20`]),
    scenario(
      'getBurnchainRewardListByAddress',
      addresses.map(address => `${REWARDS}/${address}?limit=20`),
    ),
    scenario(
      'getBurnchainRewardsTotalByAddress',
      addresses.map(address => `${REWARDS}/${address}/total`),
    ),
    scenario(
      'getBurnBlockPoxTransactions',
      poxTxHeights.map(height => `${BURN_BLOCKS}/${height}/pox-transactions`),
    ),
    scenario(
      'getBurnchainAddressPoxTransactions',
      namesOf(payees.quiet).map(address => `/extended/v2/addresses/${address}/pox-transactions`),
    ),
    scenario(
      'getBurnBlock',
      blocks.map(b => `${BURN_BLOCKS}/${b.burnHeight}`),
    ),
    scenario(
      'getBurnBlock by hash',
      blocks.map(b => `${BURN_BLOCKS}/${b.burnHash}`),
    ),
    scenario('getStatus', ['/extended']),
    scenario('getServerStatus', ['/extended/v3/status']),
    scenario('getStxSupply', ['/extended/v1/stx_supply']),
    scenario(
      'getStxSupply at a height',
      blocks.map(b => `/extended/v1/stx_supply?height=${b.height}`),
    ),
    scenario('getTotalStxSupplyLegacyFormat', ['/extended/v1/stx_supply/legacy_format']),
    scenario('getStxSupplyTotalSupplyPlain', ['/extended/v1/stx_supply/total/plain']),
    scenario('getStxSupplyCirculatingPlain', ['/extended/v1/stx_supply/circulating/plain']),
    scenario('getNetworkBlockTimes', ['/extended/v1/info/network_block_times']),
    scenario('getNetworkBlockTimeByNetwork', ['/extended/v1/info/network_block_time/mainnet']),
    scenario('getBurnBlock latest', [`${BURN_BLOCKS}/latest`]),
  ];
}
