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
    'what every principal received and sent of every token, by every event, is what events add up to, and so are holders and supplies',
  recounts: [ALL_TOKEN_CHANGES],
  async *run(context) {
    /** By event and balance: what was received and sent with it. */
    const moved = context.newMap();
    /** By token: the number of its holders, of those with a balance above zero, and the sum of their balances. */
    const holders = context.newMap();
    /** By principal: how many fungible tokens it has. */
    const held = context.newMap();
    await addEvents({ moved, sums: context.newMap() }, context);
    // What microblocks on the tip did is in the sums, and not in the balances that are listed.
    const isAnchored = context.state.microblocks.length === 0;
    let changes = 0;
    const columns = ['number', 'changes', 'received', 'sent', 'balance'] as const;
    for await (const row of tableRows(context.index, TOKEN_BALANCES, columns)) {
      const name = nameOf(row.principal, row.kind, row.token);
      let [received, sent, rows] = [0n, 0n, 0];
      for await (const change of changesOf(row.number, context)) {
        ({ received, sent } = readTokenTotals(change.totals));
        const [found, expected] = [`${received} ${sent}`, await moved.take(keyOf(name, change))];
        if (found !== expected) yield wrong(`token_changes: ${name} has ${found}, a recount gives ${expected}`);
        rows++;
      }
      changes += rows;
      if (rows !== row.changes) yield wrong(`token_balances: ${name} has ${row.changes} changes, there are ${rows}`);
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

const keyOf = (name: string, { tx, event_index }: Pick<Change, 'tx' | 'event_index'>): string =>
  `${name} ${tx} ${event_index}`;

async function addEvents(
  { moved, sums }: { readonly moved: SpillingMap; readonly sums: SpillingMap },
  { index }: Context,
): Promise<void> {
  for await (const { seq: tx, events } of recordedEvents(index)) {
    const add = async (name: string, event_index: number, more: readonly [received: bigint, sent: bigint]) => {
      const [received = 0n, sent = 0n] = ((await sums.get(name)) ?? '0 0').split(' ').map(BigInt);
      const sum = `${received + more[0]} ${sent + more[1]}`;
      await sums.set(name, sum);
      await moved.set(keyOf(name, { tx, event_index }), sum);
    };
    for (const event of events) {
      if (event.kind !== 'ft' && event.kind !== 'nft') continue;
      const { kind, asset, index, sender, recipient } = event;
      const amount = event.kind === 'ft' ? BigInt(event.amount) : 1n;
      if (sender !== null) await add(nameOf(sender, kind, asset), index, [0n, amount]);
      if (recipient !== null) await add(nameOf(recipient, kind, asset), index, [amount, 0n]);
    }
  }
}

type Change = RowOf<typeof TOKEN_CHANGES, 'tx' | 'event_index' | 'totals'>;

/** The changes of a balance, in their order. */
async function* changesOf(number: number, { index }: Context): AsyncIterable<Change> {
  for (let [tx, event_index] = [-1, -1]; ; ) {
    const rows = await index.all<Change>(
      `SELECT tx, event_index, totals FROM token_changes
        WHERE balance = ? AND (tx, event_index) > (?, ?) ORDER BY tx, event_index LIMIT 1000`,
      [number, tx, event_index],
    );
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    ({ tx, event_index } = end);
  }
}

async function addHolder(holders: SpillingMap, token: string, balance: bigint): Promise<void> {
  const [count = 0n, positive = 0n, supply = 0n] = ((await holders.get(token)) ?? '0 0 0').split(' ').map(BigInt);
  await holders.set(token, `${count + 1n} ${positive + (balance > 0n ? 1n : 0n)} ${supply + balance}`);
}

async function* compareHolders(holders: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const row of tableRows(index, TOKEN_HOLDERS, ['holders', 'positive', 'supply'])) {
    if (row.token === STX) continue;
    const expected = await holders.take(row.token);
    const found = `${row.holders} ${row.positive} ${row.supply}`;
    if (found !== expected) yield wrong(`token_holders: ${row.token} has ${found}, a recount gives ${expected}`);
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
