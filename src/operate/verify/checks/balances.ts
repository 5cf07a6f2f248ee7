import { hexBytes } from '../../../base/lib/hex.ts';
import { amountOfBytes } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type ACCOUNTS, MINED_COINBASES, MINER_REWARDS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { STX, type TOKEN_HOLDERS } from '../../../index/token-balances/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows, tableRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { canonicalBlocks, eventOf, recordedTransactions } from './sources.ts';

/** Micro-STX. */
interface Sums {
  readonly received: bigint;
  readonly sent: bigint;
  readonly fees: bigint;
  readonly rewards: bigint;
}

const NAMES = ['received', 'sent', 'fees', 'rewards'] as const;
const ZERO: Sums = { received: 0n, sent: 0n, fees: 0n, rewards: 0n };

export const balancesCheck: Check = {
  name: 'balances',
  proves:
    'what every principal received, sent, paid in fees and was rewarded is what events, fees and blocks add up to, and so is the supply; each reward is listed',
  recounts: [MINER_REWARDS_OF_ADDRESS],
  run: context =>
    withSpillingMap(accounts =>
      withRecount(rewards => compare({ accounts, rewards, coinbases: context.newMap() }, context)),
    ),
};

interface Sources {
  /** By principal: its sums. */
  readonly accounts: SpillingMap;
  readonly rewards: Recount;
  /** By recipient, those of its rewards together. */
  readonly coinbases: SpillingMap;
}

async function* compare({ accounts, rewards, coinbases }: Sources, context: Context): AsyncIterable<Finding> {
  await addTransactions(accounts, context);
  await addRewards({ accounts, rewards, coinbases }, context);
  yield* rewards.compare([MINER_REWARDS_OF_ADDRESS], context.index);
  yield* compareCoinbases(coinbases, context);
  // What microblocks on the tip did is in the sums, and not in the balances that holders are listed by.
  const isAnchored = context.state.microblocks.length === 0;
  let [holders, positive, supply] = [0, 0, 0n];
  for await (const row of pagedRows<RowOf<typeof ACCOUNTS, 'principal' | 'balance' | keyof Sums>>(context.index, {
    sql: 'SELECT principal, received, sent, fees, rewards, balance FROM accounts',
    key: ['principal'],
  })) {
    const sums = await accounts.take(row.principal);
    const expected = unpack(sums);
    for (const name of NAMES)
      if (row[name] !== String(expected[name]))
        yield wrong(`accounts: ${row.principal} has ${name} ${row[name]}, a recount gives ${expected[name]}`);
    const shown = row.balance && amountOfBytes(row.balance);
    const balance = sums === undefined ? null : balanceOf(expected);
    if (shown !== balance && isAnchored)
      yield wrong(`accounts: ${row.principal} has ${shown}, a recount gives ${balance}`);
    if (shown === null) continue;
    holders++;
    if (shown > 0n) positive++;
    supply += shown;
  }
  for await (const [principal] of accounts.entries()) yield wrong(`accounts: ${principal} is missing`);
  const sql = 'SELECT holders, positive, supply FROM token_holders WHERE token = ?';
  const kept = await context.index.get<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'positive' | 'supply'>>(sql, [STX]);
  const [found, expected] = [
    `${kept?.holders ?? 0} ${kept?.positive ?? 0} ${kept?.supply ?? '0'}`,
    `${holders} ${positive} ${supply}`,
  ];
  if (found !== expected) yield wrong(`token_holders: STX have ${found}, a recount gives ${expected}`);
}

const balanceOf = ({ received, sent, fees, rewards }: Sums): bigint => received - sent - fees + rewards;

async function addTransactions(accounts: SpillingMap, { index }: Context): Promise<void> {
  for await (const { tx, events } of recordedTransactions(index)) {
    const payer = tx.sponsor?.address ?? tx.sender;
    await add(accounts, payer, { fees: BigInt(tx.fee) });
    for (const event of events) {
      if (event.kind !== 'stx') continue;
      const amount = BigInt(event.amount);
      if (event.sender !== null) await add(accounts, event.sender, { sent: amount });
      if (event.recipient !== null) await add(accounts, event.recipient, { received: amount });
    }
  }
}

/** The block that carries a reward is the one in which it matures (docs/spec/ingestion.md#miner-rewards). Those of zero are in no list. */
async function addRewards({ accounts, rewards, coinbases }: Sources, { index, journal }: Context): Promise<void> {
  for await (const { journal_seq, seq } of canonicalBlocks(index)) {
    const event = journal_seq === null ? undefined : await eventOf(journal, journal_seq, '/new_block');
    for (const [position, reward] of (event?.block.matured_miner_rewards ?? []).entries()) {
      const { recipient, coinbase_amount, miner_address: miner, from_index_consensus_hash } = reward;
      const parts = [reward.tx_fees_anchored, reward.tx_fees_streamed_confirmed, reward.tx_fees_streamed_produced];
      const fees = parts.reduce((sum, part) => sum + BigInt(part), 0n);
      const amount = BigInt(coinbase_amount) + fees;
      await add(accounts, recipient, { rewards: amount });
      if (amount === 0n) continue;
      const sum = String(BigInt((await coinbases.get(recipient)) ?? 0) + BigInt(coinbase_amount));
      await coinbases.set(recipient, sum);
      await rewards.add(MINER_REWARDS_OF_ADDRESS, recipient, {
        height: seq + 1,
        position,
        miner,
        source: hexBytes(from_index_consensus_hash),
        coinbase: coinbase_amount,
        fees: String(fees),
        total: String(unpack(await accounts.get(recipient)).rewards),
      });
    }
  }
}

async function* compareCoinbases(coinbases: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const { principal, total } of tableRows(index, MINED_COINBASES, ['total'])) {
    const expected = await coinbases.take(principal);
    if (total !== expected) yield wrong(`mined_coinbases: ${principal} has ${total}, a recount gives ${expected}`);
  }
  for await (const [principal] of coinbases.entries()) yield wrong(`mined_coinbases: ${principal} is missing`);
}

async function add(accounts: SpillingMap, principal: string, change: Partial<Sums>): Promise<void> {
  const before = unpack(await accounts.get(principal));
  await accounts.set(principal, NAMES.map(name => before[name] + (change[name] ?? 0n)).join(' '));
}

function unpack(text: string | undefined): Sums {
  if (text === undefined) return ZERO;
  const [received = 0n, sent = 0n, fees = 0n, rewards = 0n] = text.split(' ').map(BigInt);
  return { received, sent, fees, rewards };
}
