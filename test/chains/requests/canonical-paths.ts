import { accountAddress } from '../../support/transaction-builder.ts';
import { BONDS } from '../bond-operations.ts';
import { type BuiltChain, SLOT_HOLDERS } from '../build.ts';
import { CYCLES, POOLS } from '../pox-operations.ts';
import { MANAGERS } from '../staking-operations.ts';
import { FT_ASSET, NFT_ASSET } from '../transactions.ts';
import { ADDRESSES, CONTRACTS, KEYS } from './values.ts';

/** Paths whose responses depend on the canonical chain only, whatever other events came. */
export function canonicalPaths({ plan }: BuiltChain): string[] {
  const heights = Array.from({ length: plan.steps.length % 7 }, (_, i) => i + 1);
  return [
    '/extended/v2/blocks?limit=30',
    '/extended/v1/block?limit=30',
    '/extended/v1/microblock?limit=200',
    '/extended/v1/stx_supply?unanchored=true',
    ...heights.map(height => `/extended/v1/stx_supply?height=${height}`),
    '/extended/v2/burn-blocks?limit=30',
    '/extended/v2/blocks/average-times',
    ...heights.map(height => `/extended/v2/block-tenures/${height}/blocks`),
    '/extended/v1/tx?limit=50',
    ...heights.map(height => `/extended/v2/blocks/${height}`),
    ...heights.map(height => `/extended/v2/blocks/${height}/signer-signatures`),
    ...ADDRESSES.slice(0, 3).map(address => `/extended/v2/addresses/${address}/transactions?limit=50`),
    ...ADDRESSES.slice(0, 3).map(address => `/v1/addresses/stacks/${address}`),
    `/extended/v3/names?principal=${ADDRESSES.join(',')}`,
    ...ADDRESSES.slice(0, 3).map(address => `/extended/v1/address/${address}/nonces?block_height=2`),
    ...heights.map(height => `/extended/v1/address/${ADDRESSES[0]}/balances?until_block=${height}`),
    ...CONTRACTS.slice(0, 2).map(contract => `/extended/v1/contract/${contract}/events`),
    '/extended/v1/pox4/events?limit=200',
    '/extended/v3/staking',
    '/extended/v3/staking/bonds',
    '/extended/v3/staking/cycles/current/signers',
    ...BONDS.flatMap(bond => [
      `/extended/v3/staking/bonds/${bond}/allowlist`,
      `/extended/v3/staking/bonds/${bond}/registrations`,
    ]),
    ...MANAGERS.map(manager => `/extended/v3/staking/signers/${manager}/stakers`),
    ...ADDRESSES.slice(0, 3).flatMap(address => [
      `/extended/v3/principals/${address}/staking`,
      `/extended/v3/principals/${address}/staking/bonds`,
    ]),
    '/extended/v2/pox/cycles',
    ...CYCLES.map(cycle => `/extended/v2/pox/cycles/${cycle}/signers`),
    ...CYCLES.flatMap(cycle => KEYS.map(key => `/extended/v2/pox/cycles/${cycle}/signers/${key}/stackers`)),
    ...POOLS.map(pool => `/extended/v1/pox4/${accountAddress(pool)}/delegations`),
    '/extended/v1/tokens/ft/stx/holders',
    `/extended/v1/tokens/ft/${encodeURIComponent(FT_ASSET)}/holders`,
    ...ADDRESSES.slice(0, 3).map(address => `/extended/v1/tokens/nft/holdings?principal=${address}`),
    `/extended/v1/tokens/nft/mints?asset_identifier=${encodeURIComponent(NFT_ASSET)}`,
    '/extended/v1/burnchain/reward_slot_holders',
    '/extended/v1/burnchain/rewards',
    ...SLOT_HOLDERS.map(address => `/extended/v1/burnchain/rewards/${address}/total`),
    ...SLOT_HOLDERS.map(address => `/extended/v2/addresses/${address}/pox-transactions`),
  ];
}
