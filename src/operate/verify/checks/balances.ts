import { hexBytes } from '../../../base/lib/hex.ts';
import { amountOfBytes } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  type ACCOUNTS,
  COUNTS_OF_STX_HOLDERS,
  MINED_COINBASES,
  MINER_REWARDS_OF_ADDRESS,
} from '../../../index/addresses/tables.ts';
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
  recounts: [MINER_REWARDS_OF_ADDRESS, COUNTS_OF_STX_HOLDERS],
  run: context =>
    withSpillingMap(accounts =>
      withRecount(lists => compare({ accounts, lists, coinbases: context.newMap(), since: context.newMap() }, context)),
    ),
};

interface Sources {
  /** By principal: its sums. */
  readonly accounts: SpillingMap;
  readonly lists: Recount;
  /** By principal: the height from which it holds STX. */
  readonly since: SpillingMap;
  /** By recipient, those of its rewards together. */
  readonly coinbases: SpillingMap;
}

async function* compare(sources: Sources, context: Context): AsyncIterable<Finding> {
  const { accounts, lists, coinbases, since } = sources;
  await addTransactions(sources, context);
  await addRewards(sources, context);
  yield* compareCoinbases(coinbases, context);
  // What microblocks on the tip did is in the sums, and not in the balances that holders are listed by.
  const isAnchored = context.state.microblocks.length === 0;
  let [holders, positive, supply] = [0, 0, 0n];
  const newHolders = context.newMap();
  for await (const row of pagedRows<RowOf<typeof ACCOUNTS, 'principal' | 'balance' | 'held_since' | keyof Sums>>(
    context.index,
    {
      sql: 'SELECT principal, received, sent, fees, rewards, balance, held_since FROM accounts',
      key: ['principal'],
    },
  )) {
    const sums = await accounts.take(row.principal);
    const expected = unpack(sums);
    for (const name of NAMES)
      if (row[name] !== String(expected[name]))
        yield wrong(`accounts: ${row.principal} has ${name} ${row[name]}, a recount gives ${expected[name]}`);
    const shown = row.balance && amountOfBytes(row.balance);
    const balance = sums === undefined ? null : balanceOf(expected);
    if (shown !== balance && isAnchored)
      yield wrong(`accounts: ${row.principal} has ${shown}, a recount gives ${balance}`);
    const expectedSince = shown === null ? null : Number(await since.get(row.principal));
    if (row.held_since !== expectedSince)
      yield wrong(`accounts: ${row.principal} holds STX since ${row.held_since}, a recount gives ${expectedSince}`);
    if (shown === null) continue;
    await newHolders.add(String(row.held_since), 1);
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
  await addCounts(lists, newHolders, context);
  yield* lists.compare([MINER_REWARDS_OF_ADDRESS, COUNTS_OF_STX_HOLDERS], context.index);
}

/** @param newHolders by height */
async function addCounts(lists: Recount, newHolders: SpillingMap, { state }: Context): Promise<void> {
  let holders = 0;
  for (let height = 1; height <= (state.tip?.height ?? 0); height++) {
    const more = Number((await newHolders.get(String(height))) ?? 0);
    holders += more;
    if (more > 0) await lists.add(COUNTS_OF_STX_HOLDERS, '', { height, holders });
  }
}

const balanceOf = ({ received, sent, fees, rewards }: Sums): bigint => received - sent - fees + rewards;

async function addTransactions({ accounts, since }: Sources, { index }: Context): Promise<void> {
  for await (const { tx, events } of recordedTransactions(index)) {
    const addOf = async (principal: string, change: Partial<Sums>) => {
      await add(accounts, principal, change);
      await holdsSince(since, principal, tx.blockHeight);
    };
    await addOf(tx.sponsor?.address ?? tx.sender, { fees: BigInt(tx.fee) });
    for (const event of events) {
      if (event.kind !== 'stx') continue;
      const amount = BigInt(event.amount);
      if (event.sender !== null) await addOf(event.sender, { sent: amount });
      if (event.recipient !== null) await addOf(event.recipient, { received: amount });
    }
  }
}

async function holdsSince(since: SpillingMap, principal: string, height: number): Promise<void> {
  const before = await since.get(principal);
  if (before === undefined || Number(before) > height) await since.set(principal, String(height));
}

/** The block that carries a reward is the one in which it matures (docs/spec/ingestion.md#miner-rewards). Those of zero are in no list. */
async function addRewards({ accounts, lists, coinbases, since }: Sources, { index, journal }: Context): Promise<void> {
  for await (const { journal_seq, seq } of canonicalBlocks(index)) {
    const event = journal_seq === null ? undefined : await eventOf(journal, journal_seq, '/new_block');
    for (const [position, reward] of (event?.block.matured_miner_rewards ?? []).entries()) {
      const { recipient, coinbase_amount, miner_address: miner, from_index_consensus_hash } = reward;
      const parts = [reward.tx_fees_anchored, reward.tx_fees_streamed_confirmed, reward.tx_fees_streamed_produced];
      const fees = parts.reduce((sum, part) => sum + BigInt(part), 0n);
      const amount = BigInt(coinbase_amount) + fees;
      await add(accounts, recipient, { rewards: amount });
      await holdsSince(since, recipient, seq + 1);
      if (amount === 0n) continue;
      const sum = String(BigInt((await coinbases.get(recipient)) ?? 0) + BigInt(coinbase_amount));
      await coinbases.set(recipient, sum);
      await lists.add(MINER_REWARDS_OF_ADDRESS, recipient, {
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
