import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { countTransactions } from '../../../index/transactions/positions.ts';
import { ALL_TXS, type TXS } from '../../../index/transactions/tables.ts';
import { readBlock, withBootBlock } from '../../../ingest/chain/block-facts.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type CanonicalRow, canonicalBlocks } from './canonical-blocks.ts';
import { eventOf } from './payloads.ts';

export const blockTransactionsCheck: Check = {
  name: 'transactions',
  proves:
    'every transaction of a canonical block is in the index exactly once, in its block, with its times, and found by its id',
  recounts: [ALL_TXS],

  async *run(context) {
    for await (const block of canonicalBlocks(context.index)) yield* compareBlock(block, context);
    yield* findRepeated(context);
  },
};

/** In a block the order may differ from that of the payload, where microblocks were streamed before. */
async function* compareBlock(block: CanonicalRow, { index, journal, network }: Context): AsyncIterable<Finding> {
  const height = block.seq + 1;
  const event = block.journal_seq === null ? undefined : await eventOf(journal, block.journal_seq, '/new_block');
  if (!event) return; // reported by the check of known blocks
  const own = readBlock(event.block, network).facts;
  const boot = height === 1 ? await bootBlock(own.parentIndexBlockHash, { index, journal, network }) : undefined;
  const expected = (boot ? withBootBlock(own, boot) : own).txs.map(({ txId }) => txId).sort();
  const rows = await index.all<RowOf<typeof TXS, 'tx_id' | 'height' | 'burn_time'>>(
    'SELECT tx_id, height, burn_time FROM txs WHERE seq >= ? AND seq < ?',
    [block.first_tx, block.first_tx + block.tx_rows],
  );
  const found = rows.map(row => toHex(row.tx_id)).sort();
  if (found.join() !== expected.join())
    yield wrong(
      `txs: the ${found.length} transactions of height ${height} are not the ${expected.length} of its payload`,
    );
  const strayed = rows.find(row => row.height !== height);
  if (strayed) yield wrong(`txs: ${toHex(strayed.tx_id)} has height ${strayed.height}, its block ${height}`);
  const untimely = rows.find(row => row.burn_time !== own.burnBlockTime);
  if (untimely)
    yield wrong(`txs: ${toHex(untimely.tx_id)} has burn time ${untimely.burn_time}, its block ${own.burnBlockTime}`);
}

async function bootBlock(
  indexBlockHash: string,
  { index, journal, network }: Pick<Context, 'index' | 'journal' | 'network'>,
) {
  const row = await index.get<RowOf<typeof KNOWN_BLOCKS, 'journal_seq'>>(
    'SELECT journal_seq FROM known_blocks WHERE index_block_hash = ? AND height = 0',
    [fromHex(indexBlockHash) ?? null],
  );
  const event = row && (await eventOf(journal, row.journal_seq, '/new_block'));
  return event && readBlock(event.block, network).facts;
}

/** Reads through the index on the id, so that it also shows where that is not whole. */
async function* findRepeated({ index }: Context): AsyncIterable<Finding> {
  let previous = '';
  let count = 0;
  for await (const row of pagedRows<RowOf<typeof TXS, 'tx_id' | 'seq'>>(index, {
    sql: 'SELECT tx_id, seq FROM txs',
    key: ['tx_id', 'seq'],
  })) {
    const txId = toHex(row.tx_id);
    if (txId === previous) yield wrong(`txs: ${txId} is there more than once, also at ${row.seq}`);
    previous = txId;
    count++;
  }
  const total = await countTransactions(index);
  if (count !== total) yield wrong(`txs: ${count} are found by their id, of ${total}`);
}
