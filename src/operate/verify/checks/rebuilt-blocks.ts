import { decodeNakamotoHeader, merkleRoot } from '../../../base/codec/index.ts';
import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { REBUILT_BLOCKS } from '../../../ingest/indexer/rebuilt-blocks.ts';
import type { JOURNAL } from '../../../ingest/journal/entries.ts';
import { REBUILT_PATH } from '../../../ingest/node/events/rebuilt.ts';
import { type Check, type Context, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { eventOf } from './sources.ts';

type Row = RowOf<typeof REBUILT_BLOCKS> & {
  /** The height of the known block with the same entry of the journal; null without one. */
  readonly known: number | null;
};

export const rebuiltBlocksCheck: Check = {
  name: 'rebuilt blocks',
  proves:
    'every block that was rebuilt from a node is listed with its class, and its header proves its identifier, parent, time and transactions',

  async *run({ index, journal, state }) {
    let listed = 0;
    for await (const row of pagedRows<Row>(index, {
      sql: `SELECT r.position, r.block, r.height, r.class, r.unknown, k.height AS known
        FROM rebuilt_blocks r LEFT JOIN known_blocks k ON k.index_block_hash = r.block AND k.journal_seq = r.position`,
      key: ['position'],
      alias: 'r',
      pageSize: 200,
    })) {
      listed++;
      const name = `rebuilt_blocks: block ${toHex(row.block)} of height ${row.height}`;
      if (row.known !== row.height) yield wrong(`${name} is not known with entry ${row.position} of the journal`);
      const event = row.position <= state.position ? await eventOf(journal, row.position, '/new_block') : undefined;
      if (!event?.origin) {
        yield wrong(`${name} is not in journal entry ${row.position}`);
        continue;
      }
      const { block, origin } = event;
      if (row.class !== origin.class) yield wrong(`${name} has the class ${row.class}, its entry ${origin.class}`);
      if (row.unknown !== origin.unknown.join(','))
        yield wrong(`${name}: the fields that are not known are not those of its entry`);
      const header = decodeNakamotoHeader(hexBytes(origin.header));
      const proved = header.ok
        ? {
            index_block_hash: header.value.blockId,
            parent_index_block_hash: header.value.parentBlockId,
            block_hash: header.value.blockHash,
            block_height: header.value.height,
            block_time: header.value.timestamp,
            consensus_hash: header.value.consensusHash,
          }
        : undefined;
      for (const [field, value] of Object.entries(proved ?? { header: 'readable' }))
        if (block[field as keyof typeof block] !== value)
          yield wrong(`${name}: its header does not prove its ${field}`);
      const ids = block.transactions.map(({ txid }) => txid);
      if (header.ok && merkleRoot(ids) !== header.value.txMerkleRoot)
        yield wrong(`${name}: its header does not prove its transactions`);
    }
    const rebuilt = await countRebuilt({ index, journal, state });
    if (rebuilt !== listed) yield wrong(`rebuilt_blocks: ${listed} rows, and ${rebuilt} known blocks were rebuilt`);
  },
};

/** Counts the known blocks whose entry is a rebuilt block. */
async function countRebuilt({ index, journal, state }: Pick<Context, 'index' | 'journal' | 'state'>): Promise<number> {
  let count = 0;
  for await (const { seq } of pagedRows<Pick<RowOf<typeof JOURNAL>, 'seq'>>(journal, {
    sql: `SELECT j.seq FROM (SELECT seq FROM journal WHERE path = '${REBUILT_PATH}') j`,
    key: ['seq'],
    alias: 'j',
    pageSize: 200,
  })) {
    const event = seq <= state.position ? await eventOf(journal, seq, '/new_block') : undefined;
    const known =
      event &&
      (await index.get('SELECT 1 AS found FROM known_blocks WHERE index_block_hash = ? AND journal_seq = ?', [
        hexBytes(event.block.index_block_hash),
        seq,
      ]));
    if (known) count++;
  }
  return count;
}
