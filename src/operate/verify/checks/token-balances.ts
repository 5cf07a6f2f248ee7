import { amountOfBytes } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readTokenTotals } from '../../../index/token-balances/stored.ts';
import {
  ALL_TOKEN_CHANGES,
  STX,
  TOKEN_BALANCES,
  type TOKEN_CHANGES,
  TOKEN_HOLDERS,
  TOKENS_HELD,
} from '../../../index/token-balances/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
import type { SpillingMap } from '../spilling-map.ts';
import { recordedEvents } from './sources.ts';

export const tokenBalancesCheck: Check = {
  name: 'balances of tokens',
  proves:
    'what every principal received and sent of every token, at every height, is what events add up to, and so are holders and supplies',
  recounts: [ALL_TOKEN_CHANGES],
  async *run(context) {
    /** By principal, kind, token and height: what was received and sent. */
    const moved = context.newMap();
    /** By token: the number of its holders and the sum of their balances. */
    const holders = context.newMap();
    /** By principal: how many fungible tokens it has. */
    const held = context.newMap();
    await addEvents(moved, context);
    // What microblocks on the tip did is in the sums, and not in the balances that are listed.
    const isAnchored = context.state.microblocks.length === 0;
    let changes = 0;
    for await (const row of tableRows(context.index, TOKEN_BALANCES, ['number', 'received', 'sent', 'balance'])) {
      const name = nameOf(row.principal, row.kind, row.token);
      let [received, sent] = [0n, 0n];
      for await (const { height, totals, rows } of heightsOf(row.number, context)) {
        changes += rows;
        const all = readTokenTotals(totals);
        const change = `${all.received - received} ${all.sent - sent}`;
        const expected = await moved.take(`${name} ${height}`);
        if (change !== expected)
          yield wrong(`token_changes: ${name} ${change} at ${height}, a recount gives ${expected}`);
        ({ received, sent } = all);
      }
      const balance = received - sent;
      if (row.received !== String(received) || row.sent !== String(sent))
        yield wrong(`token_balances: ${name} ${row.received} ${row.sent}, its last change has ${received} ${sent}`);
      const shown = shownBalance(row);
      if (isAnchored && shown !== (row.kind === 'ft' ? balance : null))
        yield wrong(`token_balances: ${name} is sorted as ${shown}, its balance is ${balance}`);
      const isHeld = shown !== null && shown > 0n;
      if (shown !== null) await addHolder(holders, row.token, shown);
      if (isHeld) await held.add(row.principal, 1);
    }
    for await (const [name] of moved.entries()) yield wrong(`token_changes: ${name} is missing`);
    const counted = await context.index.get<{ n: number }>('SELECT count(*) AS n FROM token_changes');
    if (counted?.n !== changes) yield wrong(`token_changes: ${counted?.n} rows, ${changes} of them of a balance`);
    yield* compareHolders(holders, context);
    yield* compareHeld(held, context);
  },
};

type Row = RowOf<typeof TOKEN_BALANCES>;

const nameOf = (principal: string, kind: string, token: string): string => `${principal} ${kind} ${token}`;

const shownBalance = ({ balance }: Row): bigint | null => balance && amountOfBytes(balance);

async function addEvents(moved: SpillingMap, { index }: Context): Promise<void> {
  for await (const { height, events } of recordedEvents(index)) {
    const add = async (name: string, more: readonly [received: bigint, sent: bigint]) => {
      const key = `${name} ${height}`;
      const [received = 0n, sent = 0n] = ((await moved.get(key)) ?? '0 0').split(' ').map(BigInt);
      await moved.set(key, `${received + more[0]} ${sent + more[1]}`);
    };
    for (const event of events) {
      if (event.kind !== 'ft' && event.kind !== 'nft') continue;
      const amount = event.kind === 'ft' ? BigInt(event.amount) : 1n;
      if (event.sender !== null) await add(nameOf(event.sender, event.kind, event.asset), [0n, amount]);
      if (event.recipient !== null) await add(nameOf(event.recipient, event.kind, event.asset), [amount, 0n]);
    }
  }
}

type Change = RowOf<typeof TOKEN_CHANGES, 'seq' | 'height' | 'totals'>;

/** The last change of a balance at each height, and how many there are: each microblock on the tip has its own. */
async function* heightsOf(number: number, context: Context): AsyncIterable<Change & { readonly rows: number }> {
  let last: (Change & { readonly rows: number }) | undefined;
  for await (const change of changesOf(number, context)) {
    if (last && last.height !== change.height) yield last;
    last = { ...change, rows: last?.height === change.height ? last.rows + 1 : 1 };
  }
  if (last) yield last;
}

async function* changesOf(number: number, { index }: Context): AsyncIterable<Change> {
  for (let after = -1; ; ) {
    const rows = await index.all<Change>(
      'SELECT seq, height, totals FROM token_changes WHERE balance = ? AND seq > ? ORDER BY height, seq LIMIT 1000',
      [number, after],
    );
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    after = end.seq;
  }
}

async function addHolder(holders: SpillingMap, token: string, balance: bigint): Promise<void> {
  const [count = 0n, supply = 0n] = ((await holders.get(token)) ?? '0 0').split(' ').map(BigInt);
  await holders.set(token, `${count + 1n} ${supply + balance}`);
}

async function* compareHolders(holders: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const row of tableRows(index, TOKEN_HOLDERS, ['holders', 'supply'])) {
    if (row.token === STX) continue;
    const expected = await holders.take(row.token);
    if (`${row.holders} ${row.supply}` !== expected)
      yield wrong(`token_holders: ${row.holders} have ${row.supply} of ${row.token}, a recount gives ${expected}`);
  }
  for await (const [token] of holders.entries()) yield wrong(`token_holders: ${token} is missing`);
}

async function* compareHeld(held: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const { principal, fts } of tableRows(index, TOKENS_HELD, ['fts'])) {
    const expected = Number((await held.take(principal)) ?? 0);
    if (fts !== expected) yield wrong(`tokens_held: ${principal} has ${fts}, a recount gives ${expected}`);
  }
  for await (const [principal] of held.entries()) yield wrong(`tokens_held: ${principal} is missing`);
}
