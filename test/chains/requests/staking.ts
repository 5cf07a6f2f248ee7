import fc from '../../support/fast-check.ts';
import { accountAddress } from '../../support/transaction-builder.ts';
import { BONDS } from '../bond-operations.ts';
import { SLOT_HOLDERS } from '../build.ts';
import { POOLS } from '../pox-operations.ts';
import { MANAGERS } from '../staking-operations.ts';
import { ACCOUNTS } from '../transactions.ts';
import {
  at,
  cursorPages,
  eventPages,
  flag,
  numbers,
  on,
  pageParts,
  pageQuery,
  query,
  type Requests,
} from './parameters.ts';
import { KEYS, type Subjects } from './subjects.ts';

/** PoX, staking and rewards. */
export const ofStaking = ({ height, burnRef, txId, address, principal, cycle, pox, pool }: Subjects): Requests => [
  on(at('/extended/v1/*/events', pox), pageQuery(200)),
  at('/extended/v1/*/tx/*', pox, txId),
  on(at('/extended/v1/*/stacker/*', pox, fc.oneof(address, pool)), pageQuery(200)),
  on(fc.constant('/extended/v2/pox/cycles'), pageQuery(60)),
  at('/extended/v2/pox/cycles/*', cycle),
  on(at('/extended/v2/pox/cycles/*/signers', cycle), pageQuery(100)),
  on(at('/extended/v2/pox/cycles/*/signers/*/stackers', cycle, fc.constantFrom(...KEYS)), pageQuery(200)),
  at('/extended/v2/pox/cycles/*/signers/*', cycle, fc.constantFrom(`0x${'99'.repeat(33)}`, ...KEYS)),
  on(
    at(
      '/extended/v1/*/*/delegations',
      fc.constantFrom('pox4', 'pox4', 'pox3', 'pox2'),
      fc.constantFrom(...POOLS.map(accountAddress)),
    ),
    delegationQuery,
  ),
  ...ofPox5({ principal, height, cycle }),
  on(fc.constant('/extended/v1/burnchain/rewards'), pageQuery(250)),
  on(at('/extended/v1/burnchain/rewards/*', fc.constantFrom(...SLOT_HOLDERS)), pageQuery(250)),
  at('/extended/v1/burnchain/rewards/*/total', fc.constantFrom(...SLOT_HOLDERS)),
  on(at('/extended/v2/burn-blocks/*/pox-transactions', burnRef), pageQuery(30)),
  on(at('/extended/v2/addresses/*/pox-transactions', fc.constantFrom(...SLOT_HOLDERS)), pageQuery(30)),
  on(fc.constant('/extended/v1/burnchain/reward_slot_holders'), pageQuery(250)),
  on(at('/extended/v1/burnchain/reward_slot_holders/*', fc.constantFrom(...SLOT_HOLDERS)), pageQuery(250)),
];

/** Staking of version 3. */
function ofPox5({ principal, height, cycle }: Pick<Subjects, 'principal' | 'height' | 'cycle'>): Requests {
  const bond = fc.constantFrom(...BONDS.map(String), '7');
  const staker = fc.constantFrom(...ACCOUNTS.map(accountAddress));
  const manager = fc.oneof(fc.constantFrom(...MANAGERS), principal);
  const byBond = cursorPages(50, fc.constantFrom('0', '1', '2', '99999999999999999999'));
  const byEvent = eventPages(height);
  const ofBond = '/extended/v3/staking/bonds/*';
  return [
    fc.constantFrom('/extended/v3/staking', '/extended/v3/staking/rewards'),
    on(fc.constant('/extended/v3/staking/bonds'), byBond),
    at(ofBond, bond),
    on(at(`${ofBond}/allowlist`, bond), byEvent),
    at(`${ofBond}/allowlist/*`, bond, staker),
    on(at(`${ofBond}/registrations`, bond), byEvent),
    at(`${ofBond}/registrations/*`, bond, staker),
    at('/extended/v3/principals/*/staking', staker),
    on(at('/extended/v3/principals/*/staking/bonds', staker), byBond),
    on(fc.constant('/extended/v3/staking/signers'), cursorPages(250, manager)),
    at('/extended/v3/staking/signers/*', manager),
    on(at('/extended/v3/staking/signers/*/stakers', manager), cursorPages(200, staker)),
    at('/extended/v3/staking/cycles/*', fc.oneof(fc.constantFrom('current', '4', '6'), cycle)),
    on(
      at('/extended/v3/staking/signers/*/cycles', fc.constantFrom(`0x${'99'.repeat(33)}`, ...KEYS)),
      cursorPages(2, fc.constantFrom('4', '6', '12', '99999999999999999999')),
    ),
    on(
      at('/extended/v3/staking/cycles/*/signers', fc.oneof(fc.constant('current'), cycle)),
      cursorPages(250, fc.constantFrom(...KEYS)),
    ),
  ];
}

const delegationQuery = query(...pageParts(50), numbers('after_block', 9, 1), flag('unanchored'));
