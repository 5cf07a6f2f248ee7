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
} from '../support/pox-prints.ts';
import { accountAddress, type BuiltTx } from '../support/transaction-builder.ts';

interface Making {
  readonly from: number;
  readonly to: number;
  readonly n: number;
}

/** The reward cycles of all plans. */
export const CYCLES: readonly number[] = [7, 8, 9];
/** The pools: two accounts. */
export const POOLS: readonly number[] = [15, 16];

/**
 * The events of a call of pox-4, one of eight operations. The first locks STX of the sender, the sixth those of another
 * account.
 */
export function poxEvents({ from, to, n }: Making, operation: number): BuiltTx['events'] {
  const stacker = accountAddress(from);
  const pool = accountAddress(POOLS[to % 2] ?? from);
  const window = cycles(7 + (n % 2), 8 + (n % 3));
  const key = signedBy(2 + (n % 2));
  switch (operation % 8) {
    case 0:
      return [poxPrint('stack-stx', stacker, { ...lock, ...window, ...key }), lockEvent(stacker, n)];
    case 1:
      return [poxPrint('stack-extend', stacker, { ...extension, ...window, ...key })];
    case 2:
      return [poxPrint('stack-increase', stacker, { ...increase, ...window, ...key })];
    case 3:
      return [poxPrint('delegate-stx', stacker, delegated(pool, n % 3 === 0 ? { until: 100 + (n % 20) } : {}))];
    case 4:
      return [poxPrint('revoke-delegate-stx', stacker, revoked(pool))];
    case 5:
      return [
        poxPrint('delegate-stack-stx', accountAddress(to), { ...lock, ...through(pool), ...window }),
        lockEvent(accountAddress(to), n),
      ];
    case 6:
      return [poxPrint('delegate-stack-extend', stacker, { ...extension, ...through(pool), ...window })];
    default:
      return [poxPrint('stack-aggregation-commit', pool, { ...commitment, ...cycles(8, 9), ...key })];
  }
}

const lockEvent = (stacker: string, n: number): BuiltTx['events'][number] => ({
  type: 'stx_lock_event',
  stx_lock_event: {
    locked_address: stacker,
    locked_amount: String(1_000 + n),
    unlock_height: String(100 + (n % 20)),
    contract_identifier: 'ST000000000000000000002AMW42H.pox-4',
  },
});

/** The fields of a block in which the reward set of a cycle was computed. */
export const rewardSet = (n: number) => ({
  cycle_number: CYCLES[n % CYCLES.length],
  reward_set: {
    signers: [2, 3, 4].slice(0, 1 + (n % 3)).map(byte => ({
      signing_key: Buffer.alloc(33, byte).toString('hex'),
      weight: 1 + ((n + byte) % 3),
      stacked_amt: String(1_000 * byte + n),
    })),
    pox_ustx_threshold: n % 4 === 0 ? null : '50',
  },
});
