import { hexBytes, toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import { allIn } from '../../base/store/in-list.ts';
import type { RowOf } from '../../base/store/table.ts';
import { readState } from './index-state.ts';
import type { KNOWN_BLOCKS } from './known-blocks.ts';
import type { SET_ASIDE } from './set-aside.ts';
import type { UNDO_LOG } from './tables.ts';

interface KeptRange {
  /** Payloads of blocks of this height and above stay. */
  readonly below: number;
  /** How many burn blocks a fork may take back (planBurnBlock). */
  readonly burnForkDepth: number;
}

/**
 * The position from which on the index may read payloads again: for a fork of the burn chain within its depth, and for blocks from height `below`
 * on. Blocks may share an undo record, and a fork that takes back one of them reads all (split-units.ts).
 */
export async function firstNeededPosition(queries: Queries, { below, burnForkDepth }: KeptRange): Promise<number> {
  const { tip, streamed } = await readState(queries);
  if (!tip) return 1;
  const burnHeight = tip.burnBlockHeight - burnForkDepth;
  const lowest = await least(
    queries,
    'SELECT min(height) AS least FROM known_blocks WHERE burn_block_height > ? AND connected = 1',
    burnHeight,
  );
  const height = Math.min(await lowestUndoneWith(queries, lowest ?? tip.height), below);
  const positions = [
    tip.journalSeq,
    ...streamed.map(({ journalSeq }) => journalSeq),
    await least(
      queries,
      'SELECT min(journal_seq) AS least FROM known_blocks WHERE connected = 1 AND height >= ?',
      height,
    ),
    await least(queries, 'SELECT min(journal_seq) AS least FROM burn_blocks WHERE height > ?', burnHeight),
  ];
  return Math.min(...positions.filter(position => position !== null));
}

/** The lowest block that shares the undo record of the canonical block of a height. */
async function lowestUndoneWith(queries: Queries, height: number): Promise<number> {
  // Each block is a unit; the block of height 1 has depth 0.
  const row = await queries.get<RowOf<typeof UNDO_LOG, 'depth' | 'units'>>(
    "SELECT depth, units FROM undo_log WHERE chain = 'stacks' AND depth >= ? ORDER BY depth LIMIT 1",
    [height - 1],
  );
  return row ? row.depth - row.units + 2 : height;
}

async function least(queries: Queries, sql: string, above: number): Promise<number | null> {
  return (await queries.get<{ readonly least: number | null }>(sql, [above]))?.least ?? null;
}

/** A journal entry, with the index block hash if it holds a block. */
interface Candidate {
  readonly seq: number;
  readonly path: string;
  readonly hash: string | undefined;
}

/**
 * The entries that the index may still read, whatever their positions: those that are set aside, blocks that wait for a parent, and
 * block 0, which becomes part of each block 1.
 * @param entries in order, and without gaps
 */
export async function neededAmong(queries: Queries, entries: readonly Candidate[]): Promise<ReadonlySet<number>> {
  const aside = await queries.all<RowOf<typeof SET_ASIDE, 'position'>>(
    'SELECT position FROM set_aside WHERE position >= ? AND position <= ?',
    [entries[0]?.seq ?? 0, entries.at(-1)?.seq ?? 0],
  );
  const blocks = entries.filter(({ path }) => path === '/new_block');
  const rows = await allIn<RowOf<typeof KNOWN_BLOCKS, 'index_block_hash' | 'connected' | 'height'>>(
    queries,
    list => `SELECT index_block_hash, connected, height FROM known_blocks WHERE index_block_hash IN ${list}`,
    blocks.flatMap(({ hash }) => (hash === undefined ? [] : [hexBytes(hash)])),
  );
  const needed = new Set<string>();
  const settled = new Set<string>();
  for (const { index_block_hash, connected, height } of rows)
    (connected === 1 && height > 0 ? settled : needed).add(toHex(index_block_hash));
  const isNeeded = ({ hash = '' }: Candidate) => needed.has(hash) || !settled.has(hash);
  return new Set([...aside.map(({ position }) => position), ...blocks.filter(isNeeded).map(({ seq }) => seq)]);
}
