import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { ALL_STX_SUPPLIES, STX_SUPPLIES, type SUPPLIES } from '../../../index/supply/tables.ts';
import { FT_SUPPLIES_OF } from '../../../index/token-balances/tables.ts';
import { allEvents } from '../../../index/transactions/event-parts.ts';
import type { TX_BODIES } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import type { MinerReward } from '../../../ingest/node/events/block.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
import { type Recount, withRecount } from '../recount.ts';
import { canonicalBlocks, eventOf } from './sources.ts';

type Supply = RowOf<typeof STX_SUPPLIES, 'height' | 'total'>;

export const supplyCheck: Check = {
  name: 'supply',
  proves: 'the supply of STX after each block is what its mints, burns and coinbases make of the one before',
  recounts: [ALL_STX_SUPPLIES],

  async *run({ index, journal }: Context): AsyncIterable<Finding> {
    const supplies = tableRows(index, STX_SUPPLIES, ['height', 'total'])[Symbol.asyncIterator]();
    let supply = 0n;
    let next = 0;
    for await (const block of canonicalBlocks(index)) {
      const event = await eventOf(journal, block.journal_seq, '/new_block');
      if (!event) continue; // reported by the check of known blocks
      next = block.first_tx + block.tx_rows;
      const change = coinbases(event.block.matured_miner_rewards) + (await moved(index, block.first_tx, next));
      if (change === 0n) continue;
      supply += change;
      yield* compare({ height: block.seq + 1, total: String(supply) }, (await supplies.next()).value);
    }
    // Unanchored microblocks have an entry each.
    supply += await moved(index, next, Number.MAX_SAFE_INTEGER);
    let last: string | undefined;
    for (let entry = await supplies.next(); !entry.done; entry = await supplies.next()) last = entry.value.total;
    if (last !== undefined && last !== String(supply)) yield wrong(`stx_supplies: it ends with ${last}, not ${supply}`);
    const current = await index.get<RowOf<typeof SUPPLIES, 'total'>>("SELECT total FROM supplies WHERE asset = 'STX'");
    if ((current?.total ?? '0') !== String(supply))
      yield wrong(`supplies: there are ${current?.total} micro-STX, not ${supply}`);
  },
};

export const tokenSuppliesCheck: Check = {
  name: 'supplies of tokens',
  proves: 'the supply of each fungible token after each block that changed it is what its events add up to',
  recounts: [FT_SUPPLIES_OF],
  run: context => withRecount(lists => recountTokens(lists, context)),
};

async function* recountTokens(lists: Recount, { index, newMap }: Context): AsyncIterable<Finding> {
  /** By token. */
  const supplies = newMap();
  for await (const { seq, first_tx, tx_rows } of canonicalBlocks(index)) {
    const changed = new Map<string, bigint>();
    const add = (token: string, amount: bigint) => changed.set(token, (changed.get(token) ?? 0n) + amount);
    for (const event of await eventsOf(index, first_tx, first_tx + tx_rows)) {
      if (event.kind !== 'ft') continue;
      if (event.recipient !== null) add(event.asset, BigInt(event.amount));
      if (event.sender !== null) add(event.asset, -BigInt(event.amount));
    }
    for (const [token, amount] of changed) {
      if (amount === 0n) continue;
      const total = String(BigInt((await supplies.get(token)) ?? 0) + amount);
      await supplies.set(token, total);
      await lists.add(FT_SUPPLIES_OF, token, { height: seq + 1, total });
    }
  }
  yield* lists.compare([FT_SUPPLIES_OF], index);
}

const coinbases = (rewards: readonly MinerReward[]): bigint =>
  rewards.reduce((sum, { coinbase_amount }) => sum + BigInt(coinbase_amount), 0n);

/** The events of transactions of these positions. */
async function eventsOf(index: Queries, from: number, to: number): Promise<readonly EventFacts[]> {
  const rows = await index.all<RowOf<typeof TX_BODIES, 'seq' | 'events'>>(
    'SELECT seq, events FROM tx_bodies WHERE seq >= ? AND seq < ? AND events IS NOT NULL',
    [from, to],
  );
  const events = await Promise.all(rows.map(row => allEvents(index, row.seq, row.events)));
  return events.flat();
}

/** STX that transactions of these positions minted, minus STX that they burned. */
async function moved(index: Queries, from: number, to: number): Promise<bigint> {
  return (await eventsOf(index, from, to)).reduce((sum, event) => {
    if (event.kind !== 'stx' || event.action === 'transfer') return sum;
    return event.action === 'mint' ? sum + BigInt(event.amount) : sum - BigInt(event.amount);
  }, 0n);
}

function* compare(expected: Supply, found: Supply | undefined): Iterable<Finding> {
  if (found?.height !== expected.height || found.total !== expected.total)
    yield wrong(
      `stx_supplies: ${found ? `${found.total} at height ${found.height}` : 'nothing'} instead of ${expected.total} at height ${expected.height}`,
    );
}
