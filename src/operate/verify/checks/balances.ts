import { hexBytes } from '../../../base/lib/hex.ts';
import { amountOfBytes, stepOf } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  type ACCOUNTS,
  ALL_STX_BALANCES,
  COUNTS_OF_STX_HOLDERS,
  MINED_COINBASES,
  MINER_REWARDS_OF_ADDRESS,
  type STX_BALANCES,
} from '../../../index/addresses/tables.ts';
import { STX, type TOKEN_HOLDERS } from '../../../index/token-balances/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows, tableRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import {
  type CanonicalRow,
  canonicalBlocks,
  eventOf,
  type RecordedTransaction,
  recordedTransactions,
} from './sources.ts';

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
    'what every principal received, sent, paid in fees and was rewarded is what events, fees and blocks add up to, and so is the supply; each reward is listed, and each balance that a block left',
  recounts: [MINER_REWARDS_OF_ADDRESS, COUNTS_OF_STX_HOLDERS, ALL_STX_BALANCES],
  run: context =>
    withSpillingMap(accounts =>
      withRecount(lists =>
        compare(
          { accounts, lists, coinbases: context.newMap(), held: context.newMap(), left: context.newMap() },
          context,
        ),
      ),
    ),
};

interface Sources {
  /** By principal: its sums. */
  readonly accounts: SpillingMap;
  readonly lists: Recount;
  /** By principal: balances after blocks (see unpackHeld). */
  readonly held: SpillingMap;
  /** By principal and height: the balance after a block that changed it. */
  readonly left: SpillingMap;
  /** By recipient: the sum of its coinbases. */
  readonly coinbases: SpillingMap;
}

/** An account's balances after blocks, in short. */
interface Held {
  /** Height of the block that made it a holder. */
  readonly since: number;
  /** The step of the greatest balance. */
  readonly peak: number;
  readonly balance: bigint;
}

/** Totals of all holders. */
interface Together {
  readonly holders: number;
  readonly positive: number;
  readonly supply: bigint;
}

async function* compare(sources: Sources, context: Context): AsyncIterable<Finding> {
  const { accounts, lists, coinbases, held, left } = sources;
  const { holders, positive, supply } = await addChain(sources, context);
  yield* compareCoinbases(coinbases, context);
  let balances = 0;
  for await (const row of pagedRows<
    RowOf<typeof ACCOUNTS, 'principal' | 'balance' | 'held_since' | 'number' | 'peak' | keyof Sums>
  >(context.index, {
    sql: 'SELECT principal, received, sent, fees, rewards, balance, held_since, number, peak FROM accounts',
    key: ['principal'],
  })) {
    const expected = unpack(await accounts.take(row.principal));
    for (const name of NAMES)
      if (row[name] !== String(expected[name]))
        yield wrong(`accounts: ${row.principal} has ${name} ${row[name]}, a recount gives ${expected[name]}`);
    const last = unpackHeld(await held.get(row.principal));
    const shown = row.balance && amountOfBytes(row.balance);
    if (shown !== (last?.balance ?? null))
      yield wrong(`accounts: ${row.principal} has ${shown}, a recount gives ${last?.balance ?? null}`);
    for (const [what, found, recounted] of [
      ['holds STX since', row.held_since, last?.since],
      ['had at most', row.peak, last?.peak],
    ] as const)
      if (found !== (recounted ?? null))
        yield wrong(`accounts: ${row.principal} ${what} ${found}, a recount gives ${recounted ?? null}`);
    for await (const { height, balance } of balancesOf(row.number, context)) {
      const [found, expected] = [String(amountOfBytes(balance)), await left.take(`${row.principal} ${height}`)];
      if (found !== expected)
        yield wrong(`stx_balances: ${row.principal} has ${found} at ${height}, a recount gives ${expected}`);
      balances++;
    }
  }
  for await (const [name] of left.entries()) yield wrong(`stx_balances: ${name} is missing`);
  const counted = await context.index.get<{ n: number }>('SELECT count(*) AS n FROM stx_balances');
  if (counted?.n !== balances) yield wrong(`stx_balances: ${counted?.n} rows, ${balances} of them of an account`);
  for await (const [principal] of accounts.entries()) yield wrong(`accounts: ${principal} is missing`);
  const sql = 'SELECT holders, positive, supply FROM token_holders WHERE token = ?';
  const kept = await context.index.get<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'positive' | 'supply'>>(sql, [STX]);
  const [found, expected] = [
    `${kept?.holders ?? 0} ${kept?.positive ?? 0} ${kept?.supply ?? '0'}`,
    `${holders} ${positive} ${supply}`,
  ];
  if (found !== expected) yield wrong(`token_holders: STX have ${found}, a recount gives ${expected}`);
  yield* lists.compare([MINER_REWARDS_OF_ADDRESS, COUNTS_OF_STX_HOLDERS], context.index);
}

/** The balances of an account after blocks, in the order of blocks. @param account its number */
const balancesOf = (account: number | null, { index }: Context) =>
  pagedRows<RowOf<typeof STX_BALANCES, 'height' | 'balance'>>(index, {
    sql: 'SELECT height, balance FROM stx_balances',
    of: ['account', account],
    key: ['height'],
  });

/** Adds up the chain block by block. What microblocks on the tip did is in the sums alone. */
async function addChain(sources: Sources, context: Context): Promise<Together> {
  const txs = recordedTransactions(context.index)[Symbol.asyncIterator]();
  let next = await txs.next();
  let together: Together = { holders: 0, positive: 0, supply: 0n };
  for await (const block of canonicalBlocks(context.index)) {
    const touched = new Set<string>();
    for (; !next.done && next.value.seq < block.first_tx + block.tx_rows; next = await txs.next())
      for (const principal of await addTransaction(sources, next.value)) touched.add(principal);
    for (const principal of await addRewards(sources, block, context)) touched.add(principal);
    together = await addHeld(sources, block.seq + 1, touched, together);
  }
  for (; !next.done; next = await txs.next()) await addTransaction(sources, next.value);
  return together;
}

/** Adds the balances of a block's principals after it. @returns the totals of all holders after it */
async function addHeld(
  { accounts, held, left, lists }: Sources,
  height: number,
  touched: ReadonlySet<string>,
  before: Together,
): Promise<Together> {
  let { holders, positive, supply } = before;
  for (const principal of touched) {
    const balance = balanceOf(unpack(await accounts.get(principal)));
    const last = unpackHeld(await held.get(principal));
    if (last?.balance === balance) continue;
    const peak = Math.max(last?.peak ?? 0, stepOf(balance));
    await held.set(principal, `${last?.since ?? height} ${peak} ${balance}`);
    await left.set(`${principal} ${height}`, String(balance));
    if (!last) holders++;
    positive += Number(balance > 0n) - Number((last?.balance ?? 0n) > 0n);
    supply += balance - (last?.balance ?? 0n);
  }
  if (holders !== before.holders || positive !== before.positive || supply !== before.supply)
    await lists.add(COUNTS_OF_STX_HOLDERS, '', { height, holders, positive, supply: String(supply) });
  return { holders, positive, supply };
}

function unpackHeld(text: string | undefined): Held | undefined {
  if (text === undefined) return undefined;
  const [since, peak, balance = ''] = text.split(' ');
  return { since: Number(since), peak: Number(peak), balance: BigInt(balance) };
}

const balanceOf = ({ received, sent, fees, rewards }: Sums): bigint => received - sent - fees + rewards;

/** @returns the principals whose STX it may change */
async function addTransaction({ accounts }: Sources, { tx, events }: RecordedTransaction): Promise<Set<string>> {
  const payer = tx.sponsor?.address ?? tx.sender;
  const touched = new Set([payer]);
  await add(accounts, payer, { fees: BigInt(tx.fee) });
  for (const event of events) {
    if (event.kind !== 'stx') continue;
    const amount = BigInt(event.amount);
    if (event.sender !== null) await add(accounts, event.sender, { sent: amount });
    if (event.recipient !== null) await add(accounts, event.recipient, { received: amount });
    for (const party of [event.sender, event.recipient]) if (party !== null) touched.add(party);
  }
  return touched;
}

/**
 * The block with a reward is the one in which it matures (docs/spec/ingestion.md#miner-rewards). No list has rewards of zero.
 * @returns the recipients
 */
async function addRewards(
  { accounts, lists, coinbases }: Sources,
  { journal_seq, seq }: CanonicalRow,
  { journal }: Context,
): Promise<Set<string>> {
  const recipients = new Set<string>();
  const event = journal_seq === null ? undefined : await eventOf(journal, journal_seq, '/new_block');
  for (const [position, reward] of (event?.block.matured_miner_rewards ?? []).entries()) {
    const { recipient, coinbase_amount, miner_address: miner, from_index_consensus_hash } = reward;
    const parts = [reward.tx_fees_anchored, reward.tx_fees_streamed_confirmed, reward.tx_fees_streamed_produced];
    const fees = parts.reduce((sum, part) => sum + BigInt(part), 0n);
    const amount = BigInt(coinbase_amount) + fees;
    recipients.add(recipient);
    await add(accounts, recipient, { rewards: amount });
    if (amount === 0n) continue;
    const sum = String(BigInt((await coinbases.get(recipient)) ?? 0) + BigInt(coinbase_amount));
    await coinbases.set(recipient, sum);
    await lists.add(MINER_REWARDS_OF_ADDRESS, recipient, {
      height: seq + 1,
      position,
      recipient,
      miner,
      source: hexBytes(from_index_consensus_hash),
      coinbase: coinbase_amount,
      fees: String(fees),
      total: String(unpack(await accounts.get(recipient)).rewards),
    });
  }
  return recipients;
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
