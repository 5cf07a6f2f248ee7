import type { Delivery } from '../../../src/journal/journal.ts';
import { type BuiltBlock, ChainBuilder } from '../../support/chain-builder.ts';
import { announced, dropped, transferOf } from '../../support/pending-transactions.ts';
import { Names, namespaceReady } from '../../support/sample-names.ts';
import type { BuiltTx } from '../../support/transaction-builder.ts';
import { bytes, filled } from '../../support/wire-transaction.ts';
import { BEFORE_THE_SET, REWARD_SET, WITH_THE_SET } from './staking.ts';
import { everyTransaction, OWNER, oneOfEach } from './transactions.ts';

/** Why nodes drop transactions. */
const REASONS = ['ReplaceByFee', 'ReplaceAcrossFork', 'TooExpensive', 'StaleGarbageCollect', 'Problematic'];

/** Sends what waits, with gaps between its nonces. */
export const WAITING = 60;

/** A chain that is made so that every field of every response, and every variant, has something to show. */
export interface EveryChain {
  readonly deliveries: readonly Delivery[];
  /** Those of the canonical chain. */
  readonly blocks: readonly BuiltBlock[];
  readonly lost: BuiltBlock;
  /** Ids of the transactions that blocks have, that only a microblock has, that wait, and that were dropped. */
  readonly txIds: Readonly<Record<'anchored' | 'streamed' | 'waiting' | 'dropped', readonly string[]>>;
}

export function everyChain(): EveryChain {
  const chain = new ChainBuilder('every field');
  const printing = (events: BuiltTx['events']) => chain.tx(bytes(0x04, filled(32, 1)), { events });
  const burn = chain.burnBlock({ slots: ['mpgvmF9DSDBrbxUY4rbsPmWkYakoDXr19j'] });
  const anchored = everyTransaction({ from: 50, burnView: burn.consensusHash });
  const names = new Names(chain);
  const named = [names.with(namespaceReady('id', 0)), names.register('alice.id', OWNER)];
  const first = chain.block({
    burn,
    txs: [chain.deploy('every', 'go', OWNER), ...anchored, ...named, printing(BEFORE_THE_SET)],
  });
  const lost = chain.block({ parent: first });
  const second = chain.block({ parent: first, fields: REWARD_SET, txs: [printing(WITH_THE_SET)] });
  const third = chain.block({ parent: second });
  const streamed = everyTransaction({ from: 51, burnView: third.burn.consensusHash });

  const waiting = everyTransaction({ from: WAITING });
  const ahead = [2, 4].map(more => transferOf({ from: WAITING, nonce: waiting.length + more }));
  const gone = REASONS.map((reason, i) => ({ reason, txs: oneOfEach({ from: WAITING + 1 + i }) }));
  const [replacement = transferOf()] = waiting;
  return {
    deliveries: [
      burn.delivery,
      ...[first, lost, second, third].map(({ delivery }) => delivery),
      chain.stream(third, chain.microblocks(third, [streamed])),
      announced(...waiting, ...ahead),
      ...gone.flatMap(({ reason, txs }) => [
        announced(...txs),
        dropped(reason, txs, reason === 'ReplaceByFee' ? replacement : null),
      ]),
    ],
    blocks: [first, second, third],
    lost,
    txIds: {
      anchored: ids(anchored),
      streamed: ids(streamed),
      waiting: ids([...waiting, ...ahead]),
      dropped: gone.flatMap(({ txs }) => ids(txs)),
    },
  };
}

const ids = (txs: readonly BuiltTx[]): string[] => txs.map(({ txId }) => txId);
