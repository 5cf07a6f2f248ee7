import { amountOfBytes, stepOf } from '../../../base/lib/number-bytes.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readTokenTotals } from '../../../index/token-balances/stored.ts';
import {
  ALL_TOKEN_CHANGES,
  ALL_TOKENS_HELD_THEN,
  STX,
  TOKEN_BALANCES,
  type TOKEN_CHANGES,
  TOKEN_HOLDERS,
  TOKENS_HELD,
  type TOKENS_HELD_THEN,
} from '../../../index/token-balances/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows, tableRows } from '../pages.ts';
import type { SpillingMap } from '../spilling-map.ts';
import { canonicalBlocks, type RecordedEvents, recordedEvents } from './sources.ts';

export const tokenBalancesCheck: Check = {
  name: 'balances of tokens',
  proves:
    'what every principal received and sent of every token, by every event, is what events add up to, and so are holders and supplies, and how many tokens each principal held after each block',
  recounts: [ALL_TOKEN_CHANGES, ALL_TOKENS_HELD_THEN],
  async *run(context) {
    /** By token: the number of its holders, of those with a balance above zero, and the sum of their balances. */
    const holders = context.newMap();
    const recounted: Recounted = {
      moved: context.newMap(),
      sums: context.newMap(),
      left: context.newMap(),
      held: context.newMap(),
      heldThen: context.newMap(),
    };
    const { moved, left } = recounted;
    await addChain(recounted, context);
    // Sums include the microblocks on the tip, listed balances do not.
    const isAnchored = context.state.microblocks.length === 0;
    let changes = 0;
    const columns = ['number', 'changes', 'received', 'sent', 'balance', 'peak'] as const;
    for await (const row of tableRows(context.index, TOKEN_BALANCES, columns)) {
      const name = nameOf(row.principal, row.kind, row.token);
      let [received, sent, rows] = [0n, 0n, 0];
      for await (const change of changesOf(row.number, context)) {
        ({ received, sent } = readTokenTotals(change.totals));
        const [found, expected] = [`${received} ${sent}`, await moved.take(keyOf(name, change))];
        if (found !== expected) yield wrong(`token_changes: ${name} has ${found}, a recount gives ${expected}`);
        const held = amountOfBytes(change.held);
        if (held !== received - sent)
          yield wrong(`token_changes: ${name} held ${held}, its sums leave ${received - sent}`);
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
      if (shown !== null) await addHolder(holders, row.token, shown);
      const peak = (await left.take(name))?.split(' ')[0];
      if (row.peak !== (peak === undefined ? null : Number(peak)))
        yield wrong(`token_balances: ${name} had at most ${row.peak}, a recount gives ${peak ?? null}`);
    }
    for await (const [name] of moved.entries()) yield wrong(`token_changes: ${name} is missing`);
    const counted = await context.index.get<{ n: number }>('SELECT count(*) AS n FROM token_changes');
    if (counted?.n !== changes) yield wrong(`token_changes: ${counted?.n} rows, ${changes} of them of a balance`);
    yield* compareHolders(holders, context);
    yield* compareHeld(recounted, context);
  },
};

type Row = RowOf<typeof TOKEN_BALANCES>;

const nameOf = (principal: string, kind: string, token: string): string => `${principal} ${kind} ${token}`;

const shownBalance = ({ balance }: Pick<Row, 'balance'>): bigint | null => balance && amountOfBytes(balance);

const keyOf = (name: string, { tx, event_index }: Pick<Change, 'tx' | 'event_index'>): string =>
  `${name} ${tx} ${event_index}`;

/** Sums of events. A name consists of principal, kind and token. */
interface Recounted {
  /** By event and name: the amounts received and sent. */
  readonly moved: SpillingMap;
  /** By name: the total amounts received and sent. */
  readonly sums: SpillingMap;
  /** By name, for fungible tokens: the step of the greatest balance after a block, and the last balance. */
  readonly left: SpillingMap;
  /** By principal: how many fungible tokens it has. */
  readonly held: SpillingMap;
  /** By principal and height: the same after a block that changed it. */
  readonly heldThen: SpillingMap;
}

/** Adds up the chain block by block. What microblocks on the tip did is in the sums alone. */
async function addChain(recounted: Recounted, { index }: Context): Promise<void> {
  const txs = recordedEvents(index)[Symbol.asyncIterator]();
  let next = await txs.next();
  for await (const block of canonicalBlocks(index)) {
    const touched = new Set<string>();
    for (; !next.done && next.value.seq < block.first_tx + block.tx_rows; next = await txs.next())
      for (const name of await addEvents(recounted, next.value)) touched.add(name);
    await addLeft(recounted, block.seq + 1, touched);
  }
  for (; !next.done; next = await txs.next()) await addEvents(recounted, next.value);
}

/** @returns the names of the fungible tokens that it moves */
async function addEvents({ moved, sums }: Recounted, { seq: tx, events }: RecordedEvents): Promise<Set<string>> {
  const touched = new Set<string>();
  const add = async (name: string, event_index: number, more: readonly [received: bigint, sent: bigint]) => {
    const [received, sent] = await sumsOf(sums, name);
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
    if (kind === 'ft')
      for (const party of [sender, recipient]) if (party !== null) touched.add(nameOf(party, kind, asset));
  }
  return touched;
}

async function sumsOf(sums: SpillingMap, name: string): Promise<readonly [received: bigint, sent: bigint]> {
  const [received = 0n, sent = 0n] = ((await sums.get(name)) ?? '0 0').split(' ').map(BigInt);
  return [received, sent];
}

/** Adds the balances after a block of the fungible tokens that it moved. */
async function addLeft({ sums, left, held, heldThen }: Recounted, height: number, touched: ReadonlySet<string>) {
  const more = new Map<string, number>();
  for (const name of touched) {
    const [received, sent] = await sumsOf(sums, name);
    const balance = received - sent;
    const [peak, last] = ((await left.get(name)) ?? '0 0').split(' ');
    await left.set(name, `${Math.max(Number(peak), stepOf(balance))} ${balance}`);
    const principal = name.slice(0, name.indexOf(' '));
    const change = Number(balance > 0n) - Number(BigInt(last ?? 0) > 0n);
    more.set(principal, (more.get(principal) ?? 0) + change);
  }
  for (const [principal, change] of more) {
    if (change === 0) continue;
    await held.add(principal, change);
    await heldThen.set(`${principal} ${height}`, (await held.get(principal)) ?? '0');
  }
}

type Change = RowOf<typeof TOKEN_CHANGES, 'tx' | 'event_index' | 'totals' | 'held'>;

/** The changes of a balance, in their order. */
const changesOf = (number: number, { index }: Context) =>
  pagedRows<Change>(index, {
    sql: 'SELECT tx, event_index, totals, held FROM token_changes',
    of: ['balance', number],
    key: ['tx', 'event_index'],
  });

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

async function* compareHeld({ held, heldThen }: Recounted, context: Context): AsyncIterable<Finding> {
  let rows = 0;
  for await (const { principal, number, fts } of tableRows(context.index, TOKENS_HELD, ['number', 'fts'])) {
    const expected = Number((await held.take(principal)) ?? 0);
    if (fts !== expected) yield wrong(`tokens_held: ${principal} has ${fts}, a recount gives ${expected}`);
    for await (const { height, fts } of heldThenOf(number, context)) {
      const then = await heldThen.take(`${principal} ${height}`);
      if (String(fts) !== then)
        yield wrong(`tokens_held_then: ${principal} has ${fts} at ${height}, a recount gives ${then}`);
      rows++;
    }
  }
  for await (const [principal] of held.entries()) yield wrong(`tokens_held: ${principal} is missing`);
  for await (const [name] of heldThen.entries()) yield wrong(`tokens_held_then: ${name} is missing`);
  const counted = await context.index.get<{ n: number }>('SELECT count(*) AS n FROM tokens_held_then');
  if (counted?.n !== rows) yield wrong(`tokens_held_then: ${counted?.n} rows, ${rows} of them of a principal`);
}

/** How many tokens a principal held, in the order of blocks. @param holder its number */
const heldThenOf = (holder: number, { index }: Context) =>
  pagedRows<RowOf<typeof TOKENS_HELD_THEN, 'height' | 'fts'>>(index, {
    sql: 'SELECT height, fts FROM tokens_held_then',
    of: ['holder', holder],
    key: ['height'],
  });
