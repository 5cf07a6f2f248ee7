import type { ACCOUNTS } from '../resources/addresses/tables.ts';
import type { RowOf } from '../store/table.ts';
import { canonicalBlocks } from './canonical-blocks.ts';
import { type Check, type Context, type Finding, wrong } from './check.ts';
import { rowsOf } from './pages.ts';
import { eventOf } from './payloads.ts';
import { recordedTransactions } from './recorded-transactions.ts';
import { type SpillingMap, withSpillingMap } from './spilling-map.ts';

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
    'what every principal received, sent, paid in fees and was rewarded is what events, fees and blocks add up to',
  run: context => withSpillingMap(accounts => compare(accounts, context)),
};

async function* compare(accounts: SpillingMap, context: Context): AsyncIterable<Finding> {
  await addTransactions(accounts, context);
  await addRewards(accounts, context);
  for await (const row of rowsOf<RowOf<typeof ACCOUNTS, 'principal' | keyof Sums>>(context.index, {
    select: 'principal, received, sent, fees, rewards',
    from: 'accounts',
    key: ['principal'],
  })) {
    const expected = unpack(await accounts.take(row.principal));
    for (const name of NAMES)
      if (row[name] !== String(expected[name]))
        yield wrong(`accounts: ${row.principal} has ${name} ${row[name]}, a recount gives ${expected[name]}`);
  }
  for await (const [principal, sums] of accounts.entries())
    if (NAMES.some(name => unpack(sums)[name] !== 0n)) yield wrong(`accounts: ${principal} is missing`);
}

async function addTransactions(accounts: SpillingMap, { index }: Context): Promise<void> {
  for await (const { record, events } of recordedTransactions(index)) {
    const payer = record.sponsor_address ?? record.sender_address;
    await add(accounts, payer, { fees: BigInt(record.fee_rate) });
    for (const event of events) {
      if (event.kind !== 'stx') continue;
      const amount = BigInt(event.amount);
      if (event.sender !== null) await add(accounts, event.sender, { sent: amount });
      if (event.recipient !== null) await add(accounts, event.recipient, { received: amount });
    }
  }
}

/** The block that carries a reward is the one in which it matures (docs/spec/ingestion.md#miner-rewards). */
async function addRewards(accounts: SpillingMap, { index, journal }: Context): Promise<void> {
  for await (const { journal_seq: seq } of canonicalBlocks(index)) {
    const event = seq === null ? undefined : await eventOf(journal, seq, '/new_block');
    for (const reward of event?.block.matured_miner_rewards ?? []) {
      const parts = [
        reward.coinbase_amount,
        reward.tx_fees_anchored,
        reward.tx_fees_streamed_confirmed,
        reward.tx_fees_streamed_produced,
      ];
      await add(accounts, reward.recipient, { rewards: parts.reduce((sum, part) => sum + BigInt(part), 0n) });
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
