import type { BURN_BLOCKS } from '../indexer/burn-graph.ts';
import type { NewBurnBlock } from '../node/events/burn-block.ts';
import { minerTotals } from '../resources/burnchain/queries.ts';
import type { POX_TXS, REWARD_TOTALS, REWARDS } from '../resources/burnchain/tables.ts';
import type { Queries } from '../store/database.ts';
import type { RowOf } from '../store/table.ts';
import { type Check, type Context, type Finding, wrong } from './check.ts';
import { rowsOf } from './pages.ts';
import { eventOf } from './payloads.ts';
import { type SpillingMap, withSpillingMap } from './spilling-map.ts';

export const rewardsCheck: Check = {
  name: 'rewards',
  proves:
    'payments, their transactions, the total of each address and of all are those of the canonical burn blocks in the journal',
  run: context => withSpillingMap(totals => compare(totals, context)),
};

async function* compare(totals: SpillingMap, { index, journal }: Context): AsyncIterable<Finding> {
  const lists = { rewards: recordsOf(index, 'rewards'), pox_txs: recordsOf(index, 'pox_txs') };
  let [paid, burnt] = [0n, 0n];
  for await (const { journal_seq } of canonicalBurnBlocks(index)) {
    const burnBlock = (await eventOf(journal, journal_seq, '/new_burn_block'))?.burnBlock;
    if (!burnBlock) continue; // told by the check of the burn chain
    yield* compareNext('rewards', lists.rewards, paymentsOf(burnBlock));
    yield* compareNext('pox_txs', lists.pox_txs, outputsOf(burnBlock));
    for (const { recipient, amt } of burnBlock.reward_recipients) await totals.add(recipient, amt);
    paid += burnBlock.reward_recipients.reduce((sum, { amt }) => sum + BigInt(amt), 0n);
    burnt += BigInt(burnBlock.burn_amount);
  }
  for (const [name, records] of Object.entries(lists))
    if (!(await records.next()).done) yield wrong(`${name}: it has more than the canonical burn blocks tell`);
  yield* compareTotals(totals, index);
  const { btc } = await minerTotals(index);
  if (btc.reward_amount !== String(paid) || btc.burn_amount !== String(burnt))
    yield wrong(
      `miner_totals: ${btc.reward_amount} paid and ${btc.burn_amount} burnt, the journal has ${paid} and ${burnt}`,
    );
}

const canonicalBurnBlocks = (index: Queries): AsyncIterable<RowOf<typeof BURN_BLOCKS, 'height' | 'journal_seq'>> =>
  rowsOf(index, {
    select: 'height, journal_seq',
    from: '(SELECT height, journal_seq FROM burn_blocks WHERE canonical = 1) AS canonical_burn_blocks',
    key: ['height'],
  });

async function* recordsOf(index: Queries, table: 'rewards' | 'pox_txs'): AsyncGenerator<unknown> {
  const rows = rowsOf<RowOf<typeof REWARDS | typeof POX_TXS, 'seq' | 'record'>>(index, {
    select: 'seq, record',
    from: table,
    key: ['seq'],
  });
  for await (const { record } of rows) yield JSON.parse(record);
}

async function* compareNext(
  table: string,
  records: AsyncGenerator<unknown>,
  expected: readonly object[],
): AsyncIterable<Finding> {
  for (const wanted of expected) {
    const found: unknown = (await records.next()).value;
    const isSame = Object.entries(wanted).every(
      ([name, value]) => (found as Record<string, unknown>)?.[name] === value,
    );
    if (!isSame)
      yield wrong(`${table}: ${JSON.stringify(found) ?? 'nothing'} is where the journal has ${JSON.stringify(wanted)}`);
  }
}

const paymentsOf = ({ burn_block_hash, reward_recipients }: NewBurnBlock): object[] =>
  reward_recipients.map(({ recipient, amt }, reward_index) => ({
    burn_block_hash,
    reward_index,
    reward_recipient: recipient,
    reward_amount: String(amt),
  }));

/** The list is read from its end, where the lowest id of a burn block stands. */
const outputsOf = ({ burn_block_hash, pox_transactions }: NewBurnBlock): object[] =>
  (pox_transactions ?? [])
    .flatMap(({ txid: tx_id, reward_recipients }) =>
      reward_recipients.map(({ recipient, amt, utxo_idx }) => ({
        burn_block_hash,
        tx_id,
        recipient,
        utxo_idx,
        amount: String(amt),
      })),
    )
    .sort((a, b) => (a.tx_id === b.tx_id ? a.utxo_idx - b.utxo_idx : a.tx_id < b.tx_id ? -1 : 1))
    .reverse();

async function* compareTotals(totals: SpillingMap, index: Queries): AsyncIterable<Finding> {
  for await (const { address, amount } of rowsOf<RowOf<typeof REWARD_TOTALS>>(index, {
    select: 'address, amount',
    from: 'reward_totals',
    key: ['address'],
  })) {
    const sum = await totals.take(address);
    if (sum !== amount) yield wrong(`reward_totals: ${address} has ${amount}, its payments are ${sum ?? 'none'}`);
  }
  for await (const [address, sum] of totals.entries())
    yield wrong(`reward_totals: ${address} is missing, its payments are ${sum}`);
}
