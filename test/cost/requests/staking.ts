import { keyText } from '../../support/pox-prints.ts';
import {
  BUSY,
  BUSY_BOND,
  BUSY_CYCLE,
  BUSY_HOLDER,
  BUSY_MANAGER,
  BUSY_POOL,
  CYCLE,
  type GrowingChain,
  QUIET,
  QUIET_BLOCKS,
  QUIET_HOLDER,
  QUIET_POOL,
} from '../growing-chain.ts';
import { LIMIT, list, page, type Request } from './request.ts';

/** PoX, and what it pays. */
export function ofStaking({ quietBlock: block, quietCall: call }: GrowingChain): Request[] {
  return [
    page('getPoxEvents', `/extended/v1/pox4/events?limit=${LIMIT}`, blocks => 5 * blocks),
    page('getPoxEventsByTransaction', `/extended/v1/pox4/tx/${call.txId}`),
    page(
      'getPoxEventsByStacker busy pool',
      `/extended/v1/pox4/stacker/${BUSY_POOL}?limit=${LIMIT}`,
      length => length - QUIET_BLOCKS,
    ),
    page('getPoxEventsByStacker quiet pool', `/extended/v1/pox4/stacker/${QUIET_POOL}`),
    list('getPoxCycles', '/extended/v2/pox/cycles'),
    page('getPoxCycle', `/extended/v2/pox/cycles/${CYCLE}`),
    list('getPoxCycleSignerStackers quiet cycle', `/extended/v2/pox/cycles/${CYCLE}/signers/${keyText(2)}/stackers`),
    list(
      'getPoxCycleSignerStackers busy cycle',
      `/extended/v2/pox/cycles/${BUSY_CYCLE}/signers/${keyText(2)}/stackers`,
    ),
    page('getPoxCycleSigners', `/extended/v2/pox/cycles/${CYCLE}/signers?limit=${LIMIT}`, true),
    page('getPoxCycleSigner', `/extended/v2/pox/cycles/${CYCLE}/signers/${keyText(5)}`),
    list('getPoolDelegations quiet pool', `/extended/v1/pox4/${QUIET_POOL}/delegations`),
    list('getPoolDelegations busy pool', `/extended/v1/pox4/${BUSY_POOL}/delegations`),
    list(
      'getPoolDelegations busy pool at a height',
      `/extended/v1/pox4/${BUSY_POOL}/delegations?height=${block.height + 30}`,
    ),
    list(
      'getBurnchainRewardSlotHoldersByAddress quiet holder',
      `/extended/v1/burnchain/reward_slot_holders/${QUIET_HOLDER}`,
    ),
    list(
      'getBurnchainRewardSlotHoldersByAddress busy holder',
      `/extended/v1/burnchain/reward_slot_holders/${BUSY_HOLDER}`,
    ),
    page('getBurnchainRewardList', `/extended/v1/burnchain/rewards?limit=${LIMIT}`, length => length - QUIET_BLOCKS),
    page(
      'getBurnchainRewardListByAddress quiet holder',
      `/extended/v1/burnchain/rewards/${QUIET_HOLDER}?limit=${LIMIT}`,
    ),
    page(
      'getBurnchainRewardListByAddress busy holder',
      `/extended/v1/burnchain/rewards/${BUSY_HOLDER}?limit=${LIMIT}`,
      length => length - QUIET_BLOCKS,
    ),
    page('getBurnchainRewardsTotalByAddress', `/extended/v1/burnchain/rewards/${BUSY_HOLDER}/total`),
    list('getBurnBlockPoxTransactions newest', '/extended/v2/burn-blocks/latest/pox-transactions'),
    page('getBurnBlockPoxTransactions by height', `/extended/v2/burn-blocks/${block.burn.height}/pox-transactions`),
    page('getBurnBlockPoxTransactions by hash', `/extended/v2/burn-blocks/${block.burn.hash}/pox-transactions`),
    list('getBurnchainAddressPoxTransactions', `/extended/v2/addresses/${BUSY_HOLDER}/pox-transactions`),
    list('getBurnchainRewardSlotHolders', '/extended/v1/burnchain/reward_slot_holders'),
    ...ofPox5(),
  ];
}

/** Staking of version 3: a bond in which every account participates, with a manager of all stakers. */
function ofPox5(): Request[] {
  const bonds = '/extended/v3/staking/bonds';
  const managers = '/extended/v3/staking/signers';
  return [
    page('getStakingOverview', '/extended/v3/staking'),
    page('getStakingRewards', '/extended/v3/staking/rewards'),
    page('getBonds', `${bonds}?limit=${LIMIT}`),
    page('getBond', `${bonds}/${BUSY_BOND}`),
    page('getBondAllowlistEntries', `${bonds}/${BUSY_BOND}/allowlist?limit=${LIMIT}`),
    page('getBondAllowlistEntry', `${bonds}/${BUSY_BOND}/allowlist/${QUIET}`),
    page('getBondRegistrations', `${bonds}/${BUSY_BOND}/registrations?limit=${LIMIT}`),
    page('getBondRegistrations from a cursor', `${bonds}/${BUSY_BOND}/registrations?limit=${LIMIT}&cursor=40:0:0`),
    page('getBondRegistration', `${bonds}/${BUSY_BOND}/registrations/${QUIET}`),
    page('getPrincipalStakingSummary', `/extended/v3/principals/${BUSY}/staking`),
    page('getPrincipalBondPositions', `/extended/v3/principals/${BUSY}/staking/bonds?limit=${LIMIT}`),
    page('getStakingCycle', `/extended/v3/staking/cycles/${CYCLE}`),
    page('getStakingCycle current', '/extended/v3/staking/cycles/current'),
    page('getStakingSignerCycles', `${managers}/${keyText(5)}/cycles?limit=${LIMIT}`),
    page('getStakingSigners', `${managers}?limit=${LIMIT}`),
    page('getStakingSigner', `${managers}/${BUSY_MANAGER}`),
    page('getStakingSignerStakers', `${managers}/${BUSY_MANAGER}/stakers?limit=${LIMIT}`),
    page('getStakingCycleSigners', `/extended/v3/staking/cycles/${CYCLE}/signers?limit=${LIMIT}`),
  ];
}
