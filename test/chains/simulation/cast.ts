import { BNS_V2 } from '../../support/sample-names.ts';
import { accountAddress } from '../../support/transaction-builder.ts';

/** Who and what is in the simulated chain. */

export const BOOT = 'ST000000000000000000002AMW42H';
export const POX5 = `${BOOT}.pox-5`;
export const SBTC = 'SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token';
export const SBTC_ASSET = `${SBTC}::sbtc-token`;

/** The sBTC deposit address, the only holder of reward slots under PoX 5. */
export const SLOT_HOLDER = 'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6';

/** Reward cycles: their length and that of the prepare phase in burn blocks, the first of PoX 5, and those that the chain comes to. */
export const CYCLE = { length: 10, prepare: 2, first: 10 };
export const CYCLES: readonly number[] = [11, 12, 13];

export const DEPLOYER = accountAddress(20);
export const ADMIN = accountAddress(21);
const account = (n: number): string => accountAddress(n);
export const [ANN, BOB, CAI, DEE, EVE] = [account(30), account(31), account(32), account(33), account(34)] as const;
export const BNS_DEPLOYER = BNS_V2.slice(0, BNS_V2.indexOf('.'));
export const ACCOUNTS: readonly string[] = [DEPLOYER, ADMIN, ANN, BOB, CAI, DEE, EVE, BNS_DEPLOYER];
/** Signer managers. */
export const MANAGERS = [`${DEPLOYER}.first`, `${DEPLOYER}.second`] as const;

export const NAMESPACE = 'staking';
/** Names of version 1 and tokens of version 2. */
export const LABELS: readonly string[] = ['alice', 'bruno', 'carla'];
export const TOKENS: readonly number[] = [1, 2, 3, 9];
