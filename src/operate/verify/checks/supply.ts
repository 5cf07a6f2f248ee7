import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { ALL_STX_SUPPLIES, STX_SUPPLIES, type SUPPLIES } from '../../../index/supply/tables.ts';
import { allEvents } from '../../../index/transactions/event-parts.ts';
import type { TX_BODIES } from '../../../index/transactions/tables.ts';
import type { MinerReward } from '../../../ingest/node/events/block.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
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

const coinbases = (rewards: readonly MinerReward[]): bigint =>
  rewards.reduce((sum, { coinbase_amount }) => sum + BigInt(coinbase_amount), 0n);

/** What transactions of these positions made, less what they destroyed. */
async function moved(index: Queries, from: number, to: number): Promise<bigint> {
  const rows = await index.all<RowOf<typeof TX_BODIES, 'seq' | 'events'>>(
    'SELECT seq, events FROM tx_bodies WHERE seq >= ? AND seq < ? AND events IS NOT NULL',
    [from, to],
  );
  const events = await Promise.all(rows.map(row => allEvents(index, row.seq, row.events)));
  return events.flat().reduce((sum, event) => {
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
