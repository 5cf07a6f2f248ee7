import type { Delivery } from '../../../src/ingest/journal/entries.ts';
import { type BuiltBlock, ChainBuilder } from '../../support/chain-builder.ts';
import { announced, dropped, transferOf } from '../../support/pending-transactions.ts';
import { Names, namespaceReady, resolverRecord, txt, zoneFile } from '../../support/sample-names.ts';
import { accountAddress, type BuiltTx, tenureChangePayload } from '../../support/transaction-builder.ts';
import { bytes, filled, multiSig, singleSig, standardAuth } from '../../support/wire-transaction.ts';
import { STACKING } from './pox.ts';
import { BEFORE_THE_SET, REWARD_SET, WITH_THE_SET } from './staking.ts';
import { everyTransaction, OWNER, oneOfEach } from './transactions.ts';

/** Senders of transactions: of the first block, of a microblock on the tip, and of what waits. */
export const [ANCHORED, STREAMED, WAITING] = [50, 51, 60];
/** Its transaction waits for a block, and gets one. */
const HEARD = 59;
/** Its transactions leave out nonces. */
export const GAPS = 58;
/** One of its transactions gives way to another with a higher fee; no node tells. */
const OUTBID = 57;
/** Who miners pay. */
export const SLOT_HOLDER = 'mpgvmF9DSDBrbxUY4rbsPmWkYakoDXr19j';
/** A name and a subdomain, which its zone file lists. */
export const [NAME, SUBDOMAIN] = ['alice.id', 'shop.alice.id'];
/** It has STX, and no block deploys it. */
export const UNDEPLOYED = `${accountAddress(OWNER)}.undeployed`;
/** Why nodes drop transactions. */
const REASONS = ['ReplaceByFee', 'ReplaceAcrossFork', 'TooExpensive', 'StaleGarbageCollect', 'Problematic'];

/** A chain that is made so that every field of every response, and every variant, has something to show. */
export interface EveryChain {
  readonly deliveries: readonly Delivery[];
  /** Those of the canonical chain, and one that a fork took back. */
  readonly blocks: readonly BuiltBlock[];
  readonly lost: BuiltBlock;
  /** Blocks of forks: beside the first block, beside the second, and above the chain. */
  readonly forks: readonly BuiltBlock[];
  /** Hashes: of one that block 1 accepts and whose parent was not delivered, and of one on the tip. */
  readonly microblocks: readonly string[];
  /** Ids of the transactions that blocks have, that only a microblock has, that wait, and that were dropped. */
  readonly txIds: Readonly<Record<'anchored' | 'streamed' | 'waiting' | 'dropped', readonly string[]>>;
}

export function everyChain(): EveryChain {
  const chain = new ChainBuilder('every field');
  const printing = (events: BuiltTx['events']) => chain.tx(bytes(0x04, filled(32, 1)), { events });
  const burn = chain.burnBlock({ slots: [SLOT_HOLDER] });

  const names = new Names(chain);
  const update = names.update(NAME, OWNER);
  const named = [names.with(namespaceReady('id', 0)), names.register(NAME, OWNER), update];
  const anchored = everyTransaction({ from: ANCHORED, burnView: burn.consensusHash });
  const deployed = chain.deploy('every', 'go', OWNER);
  const paid = { sender: accountAddress(OWNER), recipient: UNDEPLOYED, amount: '5', memo: '' };
  const others = [
    deployed,
    ...named,
    transferOf({ from: GAPS }),
    printing(BEFORE_THE_SET),
    printing([{ type: 'stx_transfer_event', stx_transfer_event: paid }]),
  ];
  const accepted = chain.microblocks(chain.bootBlock(), [[chain.transfer()]]);
  const first = chain.block({ burn, txs: [...anchored, ...others], microblocks: accepted });
  const waiting = everyTransaction({ from: WAITING });
  const ahead = [2, 4].map(nonce => transferOf({ from: GAPS, nonce }));
  const gone = REASONS.map((reason, i) => ({ reason, txs: oneOfEach({ from: WAITING + 1 + i }) }));
  const [outbid, higher] = [transferOf({ from: OUTBID }), transferOf({ from: OUTBID, fee: 400 })];
  // One key in another manner, and the four kinds of several.
  const signed = [singleSig(2), ...[1, 3, 5, 7].map(mode => multiSig(mode, mode))].map(by =>
    transferOf({ auth: standardAuth(by) }),
  );
  const minedAgain = chain.transfer();
  const waitAgain = [waiting, ...gone.map(({ txs }) => txs)].flatMap(txs => txs.slice(0, 1));
  const lost = chain.block({ parent: first, txs: [chain.coinbase(), minedAgain, ...waitAgain] });
  const second = chain.block({
    parent: first,
    fields: REWARD_SET,
    txs: [minedAgain, printing([...WITH_THE_SET, ...STACKING])],
  });
  const heard = transferOf({ from: HEARD });
  const third = chain.block({
    parent: second,
    txs: [chain.coinbase(), heard],
    fields: { matured_miner_rewards: maturedFor(accountAddress(OWNER), first) },
  });
  const beside = chain.block({ txs: [] });
  // The burn chain takes back what elected the last one.
  const doomed = chain.burnBlock({ parent: burn });
  const above = chain.block({
    parent: third,
    burn: doomed,
    txs: [chain.tx(tenureChangePayload(doomed.consensusHash, 0))],
  });
  const rival = chain.burnBlock({ parent: burn });
  const winner = chain.burnBlock({ parent: rival });
  const streamed = everyTransaction({ from: STREAMED, burnView: third.burn.consensusHash });
  const standing = chain.microblocks(third, [streamed]);

  const missing = chain.block({ parent: third });
  const afterGap = chain.block({ parent: missing });
  const impossible = chain.block({ parent: third, fields: { block_height: 1 } });

  const [replacement = transferOf()] = waiting;
  return {
    deliveries: [
      burn.delivery,
      ...[first, beside, lost, second].map(({ delivery }) => delivery),
      announced(heard),
      ...[third, doomed, above, rival, winner].map(({ delivery }) => delivery),
      zoneFile(first, update, NAME, txt('shop', OWNER) + resolverRecord('https://resolver.example')),
      chain.stream(third, standing),
      afterGap.delivery,
      impossible.delivery,
      announced(...waiting, ...ahead, ...signed),
      ...[outbid, higher].map(tx => announced(tx)),
      ...gone.flatMap(({ reason, txs }) => [
        announced(...txs),
        dropped(reason, txs, reason === 'ReplaceByFee' ? replacement : null),
      ]),
    ],
    blocks: [first, second, third],
    lost,
    forks: [beside, lost, above],
    microblocks: [...accepted, ...standing].map(({ hash }) => hash),
    txIds: {
      anchored: ids(anchored),
      streamed: ids(streamed),
      waiting: ids([...waiting, ...ahead, ...signed, higher]),
      dropped: [outbid, ...gone.flatMap(({ txs }) => txs)].map(({ txId }) => txId),
    },
  };
}

/** A reward of a block that the index has, without a miner, and one of a block that it lacks. */
const maturedFor = (recipient: string, { hash, indexHash }: BuiltBlock) =>
  [
    { miner_address: null, from_stacks_block_hash: hash, from_index_consensus_hash: indexHash },
    {
      miner_address: recipient,
      from_stacks_block_hash: `0x${'77'.repeat(32)}`,
      from_index_consensus_hash: `0x${'78'.repeat(32)}`,
    },
  ].map(source => ({
    recipient,
    coinbase_amount: '1000',
    tx_fees_anchored: '10',
    tx_fees_streamed_confirmed: '2',
    tx_fees_streamed_produced: '1',
    ...source,
  }));

const ids = (txs: readonly BuiltTx[]): string[] => txs.map(({ txId }) => txId);
