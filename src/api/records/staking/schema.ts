import { amount, count, hash, hexString, nullable, principal, whole, word } from '../../http/schema.ts';
import { Type } from '../../http/type.ts';
import { TransactionPositionSchemaV3 } from '../transactions/schema-v3.ts';
import { BondScheduleSchemaV3, PointSchemaV3 } from './schedule.ts';

const sats = (description: string) => amount(`Satoshis: ${description}`);
const ustx = (description: string) => amount(`Micro-STX: ${description}`);
const share = (part: ReturnType<typeof amount> | ReturnType<typeof count>) =>
  Type.Object({ amount: part, percent: Type.Number({ minimum: 0, examples: [12.5] }) });

const RewardsSchema = Type.Object(
  {
    btc: Type.Object({
      accrued: sats('all that was earned'),
      claimed: sats('of that what was claimed'),
      claimable: sats('what is left to claim'),
    }),
  },
  { title: 'StakingRewards' },
);

/** What a bond is set up with. */
export const BondParametersSchemaV3 = Type.Object(
  {
    target_rate_bps: count('Yield of a year in basis points'),
    stx_value_ratio: count('Micro-STX for 100 satoshis'),
    minimum_stx_ratio: count('Basis points'),
  },
  { title: 'BondParameters' },
);

const BondFields = {
  index: count('Number of the bond'),
  pox_version: word(['pox5']),
  status: word(['upcoming', 'active', 'unlocked'], 'By the burn height of the tip'),
  parameters: Type.Object({
    ...BondParametersSchemaV3.properties,
    btc_capacity: sats('all that the allowlist allows'),
  }),
  registrations: Type.Object({
    allowed_count: count('Entries of the allowlist'),
    registered_count: count('Number of participants'),
  }),
  schedule: BondScheduleSchemaV3,
  balances: Type.Object({
    locked: Type.Object({ btc: sats('of all participants'), stx: ustx('of all participants') }),
    rewards: Type.Object({
      btc: Type.Object({
        distributed: sats('all that distributions gave to the bond'),
        accrued: sats('all that its participants have earned together, rounded down once'),
        claimed: sats('of that what they claimed'),
      }),
    }),
    paid_out: Type.Object(
      { btc: sats('as `rewards.btc.distributed`') },
      { description: 'Deprecated: `rewards` has it' },
    ),
  }),
};

/** A bond of PoX 5 in a list. */
export const BondSummarySchemaV3 = Type.Object(BondFields, { title: 'BondSummary' });

/** A bond with the transaction that set it up. */
export const BondSchemaV3 = Type.Object({ ...BondFields, transaction: TransactionPositionSchemaV3 }, { title: 'Bond' });

/** An entry of the allowlist of a bond. */
export const AllowlistEntrySchemaV3 = Type.Object(
  { staker: principal(), max_sats: sats('the most that the staker may lock') },
  { title: 'BondAllowlistEntry' },
);

const RegistrationFields = {
  staker: principal(),
  signer: principal('The manager that it is with now'),
  type: word(['l1', 'l2'], 'Bitcoin, or sBTC'),
  balances: Type.Object({ btc: sats('now locked'), stx: ustx('now locked') }),
};

/** A participant of a bond. */
export const RegistrationSummarySchemaV3 = Type.Object(RegistrationFields, { title: 'BondRegistrationSummary' });

/** The same with the locked amounts. */
export const RegistrationSchemaV3 = Type.Object(
  {
    ...RegistrationFields,
    l1_lockup: Type.Optional(
      Type.Object(
        { transactions: Type.Array(Type.Object({ tx_id: hash('A Bitcoin transaction'), output_index: count() })) },
        { description: 'Of type l1' },
      ),
    ),
    l2_lockup: Type.Optional(
      Type.Object({ tx_id: hash('The transaction that registered') }, { description: 'Of type l2' }),
    ),
  },
  { title: 'BondRegistration' },
);

/** The position of a principal in a bond. */
export const BondPositionSchemaV3 = Type.Object(
  {
    bond_index: count(),
    status: word(
      ['enrolled', 'running', 'unlocked', 'early_exit', 'rolled_over'],
      'By the burn height of the tip; `rolled_over` once another bond or a stake took over what it locked',
    ),
    active: Type.Boolean({ description: 'Enrolled or running' }),
    enrollment: Type.Object({
      tx_id: hash('The transaction that registered'),
      btc_lockup: Type.Object({ amount: sats('locked then') }),
    }),
    locked: Type.Object({ btc: sats('now'), stx: ustx('now') }),
    rewards: RewardsSchema,
  },
  { title: 'BondPosition' },
);

/** The stakes of a principal. */
export const StakingSummarySchemaV3 = Type.Object(
  {
    stx: Type.Object({ locked: ustx('staked alone'), rewards: RewardsSchema }),
    bonds: Type.Object({
      count: count(),
      locked: Type.Object({ btc: sats('in all of them'), stx: ustx('in all of them') }),
      rewards: RewardsSchema,
    }),
  },
  { title: 'StakingSummary' },
);

/** All that is staked. */
export const StakingOverviewSchemaV3 = Type.Object(
  {
    locked: Type.Object({
      stx: Type.Object({
        individual_staked_amount: ustx('staked alone'),
        bond_staked_amount: ustx('in bonds'),
        total_amount: ustx('both'),
      }),
      btc: Type.Object({ bond_staked_amount: sats('in bonds') }),
    }),
  },
  { title: 'StakingOverview' },
);

/** Totals of miners' payments. */
export const MinerTotalsSchemaV3 = Type.Object(
  {
    btc: Type.Object({
      reward_amount: sats('paid as rewards'),
      burn_amount: sats('burnt'),
      total_amount: sats('both'),
    }),
  },
  { title: 'StakingRewardTotals' },
);

/** A signer manager. */
export const ManagerSchemaV3 = Type.Object(
  { signer: principal('The manager: a contract'), signer_key: hexString('The key that it registered last', 33) },
  { title: 'StakingSigner' },
);

/** With the transaction of its last registration. */
export const ManagerDetailSchemaV3 = Type.Object(
  { ...ManagerSchemaV3.properties, transaction: TransactionPositionSchemaV3 },
  { title: 'StakingSignerDetail' },
);

/** A staker of a manager. */
export const SignerStakerSchemaV3 = Type.Object(
  { staker: principal(), types: Type.Array(word(['stx', 'btc']), { description: 'STX alone, and in a bond' }) },
  { title: 'StakingSignerStaker' },
);

/** A staker of a signer manager in a reward cycle. */
export const CycleStakerSchemaV3 = Type.Object(
  {
    staker: principal(),
    types: Type.Array(word(['stx', 'btc']), { description: 'STX alone, or in a bond' }),
    staked_stx: Type.Object({ amount: ustx('staked in this cycle') }),
  },
  { title: 'StakingCycleStaker' },
);

/** A signer of a reward cycle. */
export const CycleSignerSchemaV3 = Type.Object(
  {
    signing_key: hexString('Compressed public key', 33),
    weight: share(count('Reward slots')),
    staked_stx: share(amount()),
    signer_managers: Type.Array(
      Type.Object(
        {
          signer_manager: principal(),
          registered_at: Type.Object({
            block_height: count(),
            bitcoin_block_height: count(),
            tx_id: hash(),
          }),
          granted_keys: Type.Array(
            Type.Object({ signer_key: hexString(), auth_id: amount('A number'), tx_id: hash() }),
          ),
          grant_active: Type.Boolean({ description: 'Whether the key of the cycle is granted now' }),
          pending_key_update: nullable(
            Type.Object({ signer_key: hexString(), effective_cycle: count(), tx_id: hash() }),
            'A key that was registered after the reward set was made',
          ),
        },
        { title: 'CycleSignerManager' },
      ),
    ),
  },
  { title: 'StakingCycleSigner' },
);

const CycleHeightsSchema = nullable(
  Type.Object(
    {
      start_height: count('Of the first Bitcoin block'),
      prepare_height: count('Of the first one of the prepare phase'),
      end_height: count('Of the last one'),
    },
    { title: 'CycleHeights' },
  ),
  'Null where the server does not know how long cycles of this network are: see the option `--pox-cycles`',
);

/** A reward cycle (docs/spec/staking.md#cycles). */
export const StakingCycleSchemaV3 = Type.Object(
  {
    number: whole(),
    status: nullable(
      word(['upcoming', 'reward_phase', 'prepare_phase', 'finished'], 'Where the Bitcoin tip is'),
      'Null with the schedule',
    ),
    schedule: nullable(
      Type.Object(
        {
          start: PointSchemaV3,
          prepare_phase_start: PointSchemaV3,
          end: PointSchemaV3,
        },
        { title: 'StakingCycleSchedule' },
      ),
      'Null where the server does not know how long cycles of this network are: see the option `--pox-cycles`',
    ),
    locked: Type.Object({
      stx: Type.Object({
        stx_only: amount('Staked without a bond, in micro-STX'),
        bonds: amount('In bonds, in micro-STX'),
        total: amount('The sum, in micro-STX'),
      }),
      btc: Type.Object({
        total: sats('Locked in bonds'),
        native: sats('Outputs of Bitcoin'),
        sbtc: sats('sBTC'),
      }),
    }),
    participants: Type.Object({
      stakers: Type.Object({ stx_only: count('With STX alone'), bonds: count('In bonds') }),
      signers: nullable(count('Of the reward set'), 'Null while the chain has no reward set for the cycle'),
    }),
    bonds: Type.Object({ total: count(), indexes: Type.Array(whole()) }, { description: 'Those that cover the cycle' }),
    rewards: Type.Object({
      btc: Type.Object({
        total: sats('Of all calculations'),
        waterfall: Type.Object({
          bonds: sats('For bonds'),
          stx_only: sats('For STX that are staked alone'),
          reserve_deposit: sats('For the reserve'),
        }),
        claimed: sats('Claimed by signer managers'),
      }),
    }),
  },
  { title: 'StakingCycle' },
);

/** A signer in one of its cycles. */
export const SignedCycleSchemaV3 = Type.Object(
  {
    cycle_number: whole(),
    heights: CycleHeightsSchema,
    weight: share(count('Reward slots')),
    staked_stx: share(amount()),
  },
  { title: 'StakingSignedCycle' },
);

/** What a staker earned in a reward cycle. */
export const CycleRewardsSchemaV3 = Type.Object(
  {
    cycle_number: whole(),
    heights: CycleHeightsSchema,
    rewards: RewardsSchema,
    stx: nullable(
      Type.Object({
        signer: nullable(principal(), 'The manager; null where the staker claimed and no stake is known'),
        staked: ustx('staked alone in the cycle'),
        rewards: RewardsSchema,
      }),
      'Of STX that are staked alone; null where they earned nothing and nothing was claimed',
    ),
    bonds: Type.Array(Type.Object({ bond_index: whole(), rewards: RewardsSchema }), {
      description: 'By number; those that earned something, or of which something was claimed',
    }),
    calculated_in: nullable(TransactionPositionSchemaV3, 'The newest calculation of the rewards of the cycle'),
    claimed_in: nullable(TransactionPositionSchemaV3, 'The newest claim for the cycle'),
  },
  { title: 'StakingCycleRewards' },
);
