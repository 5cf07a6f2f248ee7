import type { Entities } from '../entities.ts';
import { type Scenario, scenario } from './scenario.ts';

const STAKING = '/extended/v3/staking';

/** PoX 5: bonds with who takes part, signer managers with their stakers, cycles, principals. */
export function stakingScenarios({ bonds, managers, principals, cycles }: Entities): Scenario[] {
  const indexes = [...new Set(bonds.map(({ bond }) => bond))];
  const ofBonds = (name: string, path: string) =>
    scenario(
      name,
      indexes.map(bond => `${STAKING}/bonds/${bond}${path}`),
    );
  const members = (name: string, path: string) =>
    scenario(
      name,
      bonds.map(({ bond, staker }) => `${STAKING}/bonds/${bond}/${path}/${staker}`),
    );
  const stakers = [...bonds.map(({ staker }) => staker), ...principals.busy.map(({ name }) => name)];
  return [
    scenario('getStakingOverview', [STAKING]),
    scenario('getStakingRewards', [`${STAKING}/rewards`]),
    scenario('getBonds', [`${STAKING}/bonds`]),
    ofBonds('getBond', ''),
    ofBonds('getBondAllowlistEntries', '/allowlist'),
    members('getBondAllowlistEntry', 'allowlist'),
    ofBonds('getBondRegistrations', '/registrations'),
    members('getBondRegistration', 'registrations'),
    scenario(
      'getPrincipalStakingSummary',
      stakers.map(staker => `/extended/v3/principals/${staker}/staking`),
    ),
    scenario(
      'getPrincipalBondPositions',
      stakers.map(staker => `/extended/v3/principals/${staker}/staking/bonds`),
    ),
    scenario('getStakingSigners', [`${STAKING}/signers`]),
    scenario(
      'getStakingSigner',
      managers.map(manager => `${STAKING}/signers/${manager}`),
    ),
    scenario(
      'getStakingSignerStakers',
      managers.map(manager => `${STAKING}/signers/${manager}/stakers`),
    ),
    scenario(
      'getStakingCycle',
      cycles.map(({ cycle }) => `${STAKING}/cycles/${cycle}`),
    ),
    scenario(
      'getStakingSignerCycles',
      cycles.flatMap(({ signers }) => signers.map(key => `${STAKING}/signers/${key}/cycles`)),
    ),
    scenario(
      'getStakingCycleSigners',
      cycles.map(({ cycle }) => `${STAKING}/cycles/${cycle}/signers`),
    ),
  ];
}
