/** Prints of pox-2 and pox-4 by which every event of stacking is there, and stackers of every kind. */
import { encodeClarityUint } from '../../../src/base/codec/index.ts';
import {
  commitment,
  cycles,
  delegated,
  extension,
  increase,
  lock,
  poxPrint,
  revoked,
  signedBy,
  through,
} from '../../support/pox-prints.ts';
import { accountAddress, type BuiltTx } from '../../support/transaction-builder.ts';
import { filled } from '../../support/wire-transaction.ts';

/** Who stacks, alone and through a pool, and the pool. */
export const [STACKER, MEMBER, POOL] = [22, 23, 24].map(accountAddress) as [string, string, string];

const term = { ...cycles(7, 8), ...signedBy(2) };
const unlocked = { 'first-cycle-locked': encodeClarityUint(7), 'first-unlocked-cycle': encodeClarityUint(8) };

export const STACKING: BuiltTx['events'] = [
  // Before pox-4, prints name no signer and no cycles.
  poxPrint('stack-stx', STACKER, lock, 'pox-2'),
  poxPrint('stack-stx', STACKER, { ...lock, ...term }),
  poxPrint('stack-increase', STACKER, { ...increase, ...term }),
  poxPrint('stack-extend', STACKER, { ...extension, ...term }),
  poxPrint('delegate-stx', MEMBER, { ...delegated(POOL, { until: 900, poxHash: filled(20, 1) }), ...term }),
  poxPrint('delegate-stack-stx', MEMBER, { ...lock, ...through(POOL), ...term }),
  poxPrint('delegate-stack-increase', MEMBER, { ...increase, ...through(POOL), ...term }),
  poxPrint('delegate-stack-extend', MEMBER, { ...extension, ...through(POOL), ...term }),
  poxPrint('stack-aggregation-commit', POOL, { ...commitment, ...term }),
  poxPrint('stack-aggregation-commit-indexed', POOL, { ...commitment, ...term }),
  poxPrint('stack-aggregation-increase', POOL, { ...commitment, ...cycles(7, 8) }),
  poxPrint('revoke-delegate-stx', accountAddress(25), revoked(POOL)),
  poxPrint('handle-unlock', STACKER, unlocked),
];
