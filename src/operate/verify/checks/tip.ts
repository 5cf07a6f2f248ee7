import { hexBytes, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { type Check, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';

type Remembered = {
  readonly burn_hash: Uint8Array;
  readonly burn_height: number;
  /** 1 when the remembered block is connected, and this burn block is its burn view. */
  readonly fits: number;
};

type Candidate = {
  readonly arrival: number;
  readonly height: number;
  readonly index_block_hash: Uint8Array;
  readonly parent_index_block_hash: Uint8Array;
  readonly burn_block_hash: Uint8Array;
  readonly burn_view: Uint8Array | null;
};

const CANDIDATE = `k.arrival, k.height, k.index_block_hash, k.parent_index_block_hash, k.burn_block_hash, k.burn_view`;

/** docs/spec/fork-choice.md. It does not prove that the right blocks are remembered: that would take the whole history. */
export const tipCheck: Check = {
  name: 'tip',
  proves:
    'burn blocks remember blocks that have seen them; the tip is what fork choice makes of these and of the others',

  async *run({ index, state: { tip } }) {
    for await (const row of pagedRows<Remembered>(index, {
      sql: `SELECT r.burn_hash, r.burn_height,
        CASE WHEN k.connected = 1 AND k.burn_view = u.consensus_hash AND u.height = r.burn_height THEN 1 ELSE 0 END AS fits
        FROM remembered_tips r
          LEFT JOIN burn_blocks u ON u.hash = r.burn_hash
          LEFT JOIN known_blocks k ON k.arrival = r.known`,
      key: ['burn_hash'],
      alias: 'r',
      pageSize: 200,
    }))
      if (row.fits !== 1)
        yield wrong(
          `remembered_tips: burn block ${toHex(row.burn_hash)} remembers no connected block that has seen it`,
        );
    const remembered = await rememberedTip(index);
    const other = await bestOther(index, Math.max(tip?.height ?? 0, remembered?.height ?? 0));
    const expected = other && (!remembered || isBetter(other, remembered)) ? other : remembered;
    const hash = expected && toHex(expected.index_block_hash);
    if (hash !== tip?.indexBlockHash) yield wrong(`state: the tip is ${tip?.indexBlockHash}, but must be ${hash}`);
  },
};

const isBetter = (other: Candidate, remembered: Candidate): boolean =>
  other.height > remembered.height || (other.height === remembered.height && other.arrival < remembered.arrival);

/** The viable block that the highest canonical burn block remembers. */
async function rememberedTip(index: Queries): Promise<Candidate | undefined> {
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const row = await index.get<Candidate & { readonly burn_height: number }>(
      `SELECT r.burn_height, ${CANDIDATE}
         FROM remembered_tips r JOIN burn_blocks u ON u.hash = r.burn_hash AND u.canonical = 1
         JOIN known_blocks k ON k.arrival = r.known
        WHERE r.burn_height < ? ORDER BY r.burn_height DESC LIMIT 1`,
      [below],
    );
    if (!row || (await isViable(index, row))) return row;
    below = row.burn_height;
  }
}

/** The highest viable block from a height upwards whose burn view is not known. */
async function bestOther(index: Queries, fromHeight: number): Promise<Candidate | undefined> {
  const rows = await index.all<Candidate>(
    `SELECT ${CANDIDATE} FROM known_blocks k LEFT JOIN burn_blocks u ON u.consensus_hash = k.burn_view
      WHERE k.connected = 1 AND k.height >= ? AND k.height > 0 AND u.hash IS NULL ORDER BY k.height DESC, k.arrival`,
    [fromHeight],
  );
  for (const row of rows) if (await isViable(index, row)) return row;
  return undefined;
}

/** Whether elections and burn views of a block and its ancestors, down to the canonical chain, are canonical or unknown. */
async function isViable(index: Queries, candidate: Candidate): Promise<boolean> {
  for (let block: Candidate | undefined = candidate; block; ) {
    const canonical = await index.get<{ known: number }>('SELECT known FROM blocks WHERE seq = ?', [block.height - 1]);
    if (canonical?.known === block.arrival) return true;
    const lost = await index.get(
      'SELECT 1 AS lost FROM burn_blocks WHERE canonical = 0 AND (hash = ? OR consensus_hash = ?) LIMIT 1',
      [block.burn_block_hash, block.burn_view ?? hexBytes('0x')],
    );
    if (lost) return false;
    if (block.height === 1) return true;
    block = await index.get<Candidate>(
      `SELECT ${CANDIDATE} FROM known_blocks k WHERE k.index_block_hash = ? AND k.connected = 1`,
      [block.parent_index_block_hash],
    );
  }
  return false;
}
