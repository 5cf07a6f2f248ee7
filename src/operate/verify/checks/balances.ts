import { amountOfBytes } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { type ACCOUNTS, MINER_REWARDS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { STX, type TOKEN_HOLDERS } from '../../../index/token-balances/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
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
  run: context => withSpillingMap(accounts => withRecount(rewards => compare({ accounts, rewards }, context))),
};

interface Sources {
  /** By principal: its sums. */
  readonly accounts: SpillingMap;
  readonly rewards: Recount;
}

async function* compare({ accounts, rewards }: Sources, context: Context): AsyncIterable<Finding> {
  await addTransactions(accounts, context);
  await addRewards({ accounts, rewards }, context);
  yield* rewards.compare([MINER_REWARDS_OF_ADDRESS], context.index);
  // What microblocks on the tip did is in the sums, and not in the balances that holders are listed by.
  const isAnchored = context.state.microblocks.length === 0;
  let [holders, supply] = [0, 0n];
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
    supply += shown;
  }
  for await (const [principal] of accounts.entries()) yield wrong(`accounts: ${principal} is missing`);
  const sql = 'SELECT holders, supply FROM token_holders WHERE token = ?';
  const kept = await context.index.get<RowOf<typeof TOKEN_HOLDERS, 'holders' | 'supply'>>(sql, [STX]);
  if ((kept?.holders ?? 0) !== holders || (kept?.supply ?? '0') !== String(supply))
    yield wrong(`token_holders: ${kept?.holders} have ${kept?.supply} STX, a recount gives ${holders}, ${supply}`);
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

/**
 * The block that carries a reward is the one in which it matures (docs/spec/ingestion.md#miner-rewards). Several for one recipient are one entry of
 * its list.
 */
async function addRewards({ accounts, rewards }: Sources, { index, journal }: Context): Promise<void> {
  for await (const { journal_seq, seq } of canonicalBlocks(index)) {
    const event = journal_seq === null ? undefined : await eventOf(journal, journal_seq, '/new_block');
    const matured = event?.block.matured_miner_rewards ?? [];
    for (const reward of matured) {
      const parts = [
        reward.coinbase_amount,
        reward.tx_fees_anchored,
        reward.tx_fees_streamed_confirmed,
        reward.tx_fees_streamed_produced,
      ];
      await add(accounts, reward.recipient, { rewards: parts.reduce((sum, part) => sum + BigInt(part), 0n) });
    }
    for (const recipient of new Set(matured.map(reward => reward.recipient))) {
      const total = String(unpack(await accounts.get(recipient)).rewards);
      await rewards.add(MINER_REWARDS_OF_ADDRESS, recipient, { height: seq + 1, total });
    }
  }
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
