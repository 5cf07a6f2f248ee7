import type { TProperties } from 'typebox';
import { amount, count, hash, nullable, principal, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { BitcoinBlockPositionSchemaV3, BlockPositionSchemaV3 } from '../transactions/schema-v3.ts';
import { BondScheduleSchemaV3 } from './schedule.ts';
import { BondParametersSchemaV3 } from './schema.ts';

const btc = (description: string) => Type.Object({ btc: amount(`Satoshis: ${description}`) });
const parties = { staker: principal(), signer: principal('The manager') };
const holding = {
  type: word(['l1', 'l2'], 'Bitcoin, or sBTC'),
  balances: Type.Object({ btc: amount('Satoshis'), stx: amount('Micro-STX') }),
};

/** Events by name: the title, and the data. */
const EVENTS: readonly (readonly [name: string, title: string, data: TProperties])[] = [
  [
    'setup-bond',
    'BondSetUp',
    {
      parameters: BondParametersSchemaV3,
      early_unlock_bytes: Type.String({ description: 'Hex; empty where the print has none', examples: ['0x000000'] }),
      schedule: BondScheduleSchemaV3,
    },
  ],
  ['add-to-allowlist', 'StakerAllowed', { staker: principal(), max_sats: amount('Satoshis') }],
  ['register-for-bond', 'StakerRegistered', { ...parties, ...holding }],
  [
    'update-bond-registration',
    'RegistrationUpdated',
    { ...parties, old_signer: principal('The manager before'), ...holding },
  ],
  ['announce-l1-early-exit', 'EarlyExitAnnounced', { ...parties, released: btc('no longer locked') }],
  [
    'unstake-sbtc',
    'SbtcUnstaked',
    { ...parties, withdrawn: btc('no longer locked'), remaining: btc('still locked; 0 is an early exit') },
  ],
  [
    'bond-distribution',
    'RewardsDistributed',
    {
      calculation: nullable(
        Type.Object(
          { bitcoin_height: count('At which rewards were calculated'), reward_cycle: count() },
          { title: 'RewardCalculation' },
        ),
        'Null where the transaction did not print it',
      ),
      target_yield: amount('Satoshis'),
      rewards: btc('of this distribution'),
      staked: btc('that earned them'),
      accrued_rewards_per_sat: amount('Of this distribution, times 10^18'),
      cumulative_rewards_per_sat: amount('Since the beginning, times 10^18'),
    },
  ],
  [
    'claim-staker-rewards-for-signer',
    'RewardsClaimed',
    { signer_manager: principal(), staker: principal(), reward_cycle: count(), claimed: btc('of rewards') },
  ],
];

/** An event of a bond. */
export const BondEventSchemaV3 = Type.Union(
  EVENTS.map(([name, title, data]) =>
    Type.Object(
      {
        name: Type.Literal(name),
        bond_index: count('Number of the bond'),
        transaction: Type.Object({ tx_id: hash(), event_index: count('Position among the events of the transaction') }),
        block: BlockPositionSchemaV3,
        bitcoin_block: BitcoinBlockPositionSchemaV3,
        data: Type.Object(data),
      },
      { title },
    ),
  ),
  { title: 'BondEvent' },
);
