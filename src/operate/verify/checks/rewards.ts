import { minerTotals } from '../../../api/records/burnchain/queries.ts';
import type { Queries, Row, Table } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readPoxOutput, readReward, readRewardSlot } from '../../../index/burnchain/stored.ts';
import {
  ALL_MINER_TOTAL_CHANGES,
  ALL_POX_TXS,
  ALL_REWARD_SLOTS,
  ALL_REWARDS,
  type BURN_REWARD_TOTALS,
  BURN_REWARDS_OF_ADDRESS,
  MINER_TOTAL_CHANGES,
  POX_TXS,
  POX_TXS_OF_ADDRESS,
  REWARD_SLOTS,
  REWARD_SLOTS_OF_ADDRESS,
  REWARDS,
} from '../../../index/burnchain/tables.ts';
import type { BURN_BLOCKS } from '../../../ingest/indexer/burn-graph.ts';
import type { NewBurnBlock } from '../../../ingest/node/events/bodies.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { eventOf } from './sources.ts';

const RECOUNTED = [REWARD_SLOTS_OF_ADDRESS, BURN_REWARDS_OF_ADDRESS, POX_TXS_OF_ADDRESS];

export const rewardsCheck: Check = {
  name: 'rewards',
  proves:
    'reward slots, payments, their transactions, the lists of each address, its total and that of all are those of the canonical burn blocks in the journal',
  recounts: [ALL_REWARD_SLOTS, ALL_REWARDS, ALL_MINER_TOTAL_CHANGES, ALL_POX_TXS, ...RECOUNTED],
  run: context => withSpillingMap(totals => withRecount(ofAddresses => compare({ totals, ofAddresses }, context))),
};

interface Sources {
  /** By address: the sum of its rewards. */
  readonly totals: SpillingMap;
  /** The lists of each address. */
  readonly ofAddresses: Recount;
}

async function* compare({ totals, ofAddresses }: Sources, { index, journal }: Context): AsyncIterable<Finding> {
  const lists = {
    reward_slots: recordsOf(index, REWARD_SLOTS, readRewardSlot),
    rewards: recordsOf(index, REWARDS, readReward),
    pox_txs: recordsOf(index, POX_TXS, readPoxOutput),
  };
  const changes = rowsOf<RowOf<typeof MINER_TOTAL_CHANGES>>(index, MINER_TOTAL_CHANGES);
  let [paid, burnt] = [0n, 0n];
  const next = { slot: 0, reward: 0, pox_tx: 0 };
  for await (const { journal_seq } of canonicalBurnBlocks(index)) {
    const burnBlock = (await eventOf(journal, journal_seq, '/new_burn_block'))?.burnBlock;
    if (!burnBlock) continue; // reported by the check of the burn chain
    const outputs = outputsOf(burnBlock);
    yield* compareNext('reward_slots', lists.reward_slots, slotsOf(burnBlock));
    yield* compareNext('rewards', lists.rewards, paymentsOf(burnBlock));
    yield* compareNext('pox_txs', lists.pox_txs, outputs);
    for (const holder of burnBlock.reward_slot_holders)
      await ofAddresses.add(REWARD_SLOTS_OF_ADDRESS, holder, { slot: next.slot++ });
    for (const { recipient } of burnBlock.reward_recipients)
      await ofAddresses.add(BURN_REWARDS_OF_ADDRESS, recipient, { reward: next.reward++ });
    for (const { recipient } of outputs)
      await ofAddresses.add(POX_TXS_OF_ADDRESS, recipient, { pox_tx: next.pox_tx++ });
    for (const { recipient, amt } of burnBlock.reward_recipients) await totals.add(recipient, amt);
    paid += burnBlock.reward_recipients.reduce((sum, { amt }) => sum + BigInt(amt), 0n);
    burnt += BigInt(burnBlock.burn_amount);
    if (burnBlock.reward_recipients.some(({ amt }) => BigInt(amt) > 0n) || BigInt(burnBlock.burn_amount) > 0n)
      yield* compareNext('miner_total_changes', changes, [
        { burn_height: burnBlock.burn_block_height, paid: String(paid), burnt: String(burnt) },
      ]);
  }
  for (const [name, records] of Object.entries({ ...lists, miner_total_changes: changes }))
    if (!(await records.next()).done) yield wrong(`${name}: it has more than the canonical burn blocks`);
  yield* ofAddresses.compare(RECOUNTED, index);
  yield* compareTotals(totals, index);
  const { btc } = await minerTotals(index);
  if (btc.reward_amount !== String(paid) || btc.burn_amount !== String(burnt))
    yield wrong(
      `miner_totals: ${btc.reward_amount} paid and ${btc.burn_amount} burnt, the journal has ${paid} and ${burnt}`,
    );
}

const canonicalBurnBlocks = (index: Queries): AsyncIterable<RowOf<typeof BURN_BLOCKS, 'height' | 'journal_seq'>> =>
  pagedRows(index, {
    sql: `SELECT height, journal_seq
      FROM (SELECT height, journal_seq FROM burn_blocks WHERE canonical = 1) AS canonical_burn_blocks`,
    key: ['height'],
  });

/** The records with the other columns of their rows. */
async function* recordsOf<T extends object>(index: Queries, table: Table, read: (record: string) => T) {
  for await (const { record, ...columns } of rowsOf<RowOf<typeof REWARDS>>(index, table))
    yield { ...read(record), ...columns };
}

async function* rowsOf<R extends Row & { readonly seq: number }>(
  index: Queries,
  table: Table,
): AsyncGenerator<R, void> {
  yield* pagedRows<R>(index, {
    sql: `SELECT ${Object.keys(table.columns).join(', ')} FROM ${table.name}`,
    key: ['seq'],
  });
}

async function* compareNext<T extends object>(
  table: string,
  records: AsyncGenerator<T, void>,
  expected: readonly Partial<T>[],
): AsyncIterable<Finding> {
  for (const wanted of expected) {
    const found = (await records.next()).value ?? undefined;
    const isSame = Object.entries(wanted).every(([name, value]) => found?.[name as keyof T] === value);
    if (!isSame)
      yield wrong(`${table}: ${JSON.stringify(found) ?? 'nothing'} is where the journal has ${JSON.stringify(wanted)}`);
  }
}

const slotsOf = ({ burn_block_hash, burn_block_height: burn_height, reward_slot_holders }: NewBurnBlock) =>
  reward_slot_holders.map((address, slot_index) => ({ burn_block_hash, burn_height, slot_index, address }));

const paymentsOf = ({ burn_block_hash, burn_block_height: burn_height, reward_recipients }: NewBurnBlock) =>
  reward_recipients.map(({ recipient, amt }, reward_index) => ({
    burn_block_hash,
    burn_height,
    reward_index,
    reward_recipient: recipient,
    reward_amount: String(amt),
  }));

/** The list is read from its end, where a burn block has its lowest id. */
const outputsOf = ({ burn_block_hash, burn_block_height: burn_height, pox_transactions }: NewBurnBlock) =>
  (pox_transactions ?? [])
    .flatMap(({ txid: tx_id, reward_recipients }) =>
      reward_recipients.map(({ recipient, amt, utxo_idx }) => ({
        burn_block_hash,
        burn_height,
        tx_id,
        recipient,
        utxo_idx,
        amount: String(amt),
      })),
    )
    .sort((a, b) => (a.tx_id === b.tx_id ? a.utxo_idx - b.utxo_idx : a.tx_id < b.tx_id ? -1 : 1))
    .reverse();

async function* compareTotals(totals: SpillingMap, index: Queries): AsyncIterable<Finding> {
  for await (const { address, amount } of pagedRows<RowOf<typeof BURN_REWARD_TOTALS>>(index, {
    sql: 'SELECT address, amount FROM reward_totals',
    key: ['address'],
  })) {
    const sum = await totals.take(address);
    if (sum !== amount) yield wrong(`reward_totals: ${address} has ${amount}, its payments are ${sum ?? 'none'}`);
  }
  for await (const [address, sum] of totals.entries())
    yield wrong(`reward_totals: ${address} is missing, its payments are ${sum}`);
}
