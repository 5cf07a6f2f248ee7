import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { allowedStaker, BOND_SET_UP, registeredStaker, signerKey } from '../support/staking-prints.ts';
import { accountAddress } from '../support/transaction-builder.ts';
import { bytes, filled } from '../support/wire-transaction.ts';
import { type RequestValues, shapeOf } from './values.ts';

const STAKER = accountAddress(20);
const MANAGER = `${accountAddress(30)}.manager`;

/** A chain with a bond of PoX 5 that one staker takes part in. */
export function stakingEvents(): Delivery[] {
  const chain = new ChainBuilder('staking');
  const first = chain.block();
  const prints = [
    BOND_SET_UP,
    signerKey(MANAGER, 2),
    allowedStaker(STAKER, 5000),
    registeredStaker(STAKER, MANAGER, 4000),
  ];
  const call = chain.tx(bytes(0x04, filled(32, 1)), { events: prints });
  return [first.delivery, chain.block({ parent: first, txs: [chain.coinbase(), call] }).delivery];
}

const BOND = { bond_index: 1 };
const BONDS = '/extended/v3/staking/bonds';
const SIGNERS = '/extended/v3/staking/signers';
const VALUES: Readonly<Record<string, RequestValues['path']>> = {
  [`${BONDS}/{}`]: BOND,
  [`${BONDS}/{}/allowlist`]: BOND,
  [`${BONDS}/{}/allowlist/{}`]: { ...BOND, principal: STAKER },
  [`${BONDS}/{}/registrations`]: BOND,
  [`${BONDS}/{}/registrations/{}`]: { ...BOND, principal: STAKER },
  [`${SIGNERS}/{}`]: { principal: MANAGER },
  [`${SIGNERS}/{}/stakers`]: { principal: MANAGER },
  '/extended/v3/principals/{}/staking': { principal: STAKER },
  '/extended/v3/principals/{}/staking/bonds': { principal: STAKER },
};

/** Parameters for a path about PoX 5, which that chain has something for; undefined for any other path. */
export const stakingValuesFor = (path: string): RequestValues['path'] | undefined => VALUES[shapeOf(path)];
