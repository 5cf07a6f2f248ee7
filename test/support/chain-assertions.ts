import assert from 'node:assert/strict';
import { toHex } from '../../src/base/lib/hex.ts';
import type { Row, SqlValue } from '../../src/base/store/database.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import { LIST_COUNTERS, LISTS } from '../../src/ingest/indexer/tables.ts';
import type { BuiltBlock, BuiltMicroblock } from './chain-builder.ts';
import type { TestIndex } from './test-index.ts';
import type { BuiltTx } from './transaction-builder.ts';

/** Lists and state tables: what undo restores, and so what the canonical chain alone decides. Bytes as hex. */
export type CanonicalTables = Readonly<Record<string, readonly Readonly<Record<string, SqlValue>>[]>>;

const CANONICAL = new Set([
  LISTS,
  LIST_COUNTERS,
  ...INDEX_SCHEMA.stateTables,
  ...INDEX_SCHEMA.lists.map(kind => kind.entries),
]);

export async function canonicalTables(index: Pick<TestIndex, 'dump'>): Promise<CanonicalTables> {
  const dump = await index.dump();
  const hashes = new Map(dump.known_blocks?.map(row => [row.arrival, readable(row).index_block_hash]));
  const tables = [...CANONICAL].map(({ name }) => [name, (dump[name] ?? []).map(readable)] as const);
  // The one column that tells the order of arrival is replaced by the block it means.
  return {
    ...Object.fromEntries(tables),
    blocks: (dump.blocks ?? []).map(row => ({ ...readable(row), known: hashes.get(row.known ?? null) ?? null })),
  };
}

/** The row with bytes as hex, so that rows of both engines compare. */
export const readable = (row: Row): Readonly<Record<string, SqlValue>> =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [key, value instanceof Uint8Array ? toHex(value) : value]),
  );

/** Compares table by table, so that a failure names the table. */
export function assertSameTables<T>(
  actual: Readonly<Record<string, readonly T[]>>,
  expected: Readonly<Record<string, readonly T[]>>,
  when = '',
): void {
  assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort());
  for (const [name, rows] of Object.entries(expected)) assert.deepEqual(actual[name], rows, `table ${name} ${when}`);
}

interface ExpectedChain {
  /** From height 1 upwards. */
  readonly blocks: readonly BuiltBlock[];
  /** Microblocks on the last block. */
  readonly standing?: readonly BuiltMicroblock[];
}

/** The responses of the API must be those of this chain, which was worked out without the index. */
export async function assertResponses(index: TestIndex, { blocks, standing = [] }: ExpectedChain): Promise<void> {
  const tip = blocks.at(-1);
  const { body: status } = await index.get('/extended');
  assert.equal(status.chain_tip?.index_block_hash, tip?.indexHash);
  assert.equal(status.chain_tip?.microblock_hash, standing.at(-1)?.hash);

  const { body: newest } = await index.get('/extended/v2/blocks?limit=30');
  const hashes = newest.results.map((block: { index_block_hash: string }) => block.index_block_hash);
  assert.deepEqual(
    hashes,
    blocks
      .slice(-30)
      .reverse()
      .map(({ indexHash }) => indexHash),
  );
  assert.equal(newest.total, blocks.length);

  const anchored = blocks.flatMap(block => inChainOrder(block).map(({ txId }) => txId));
  assert.deepEqual(await transactionIds(index, ''), anchored.toReversed());
  const streamed = standing.flatMap(({ txs }) => txs.map(({ txId }) => txId));
  assert.deepEqual(await transactionIds(index, '&unanchored=true'), [...anchored, ...streamed].reverse());

  for (const block of blocks.slice(-1)) await assertBlockResponses(index, block);
}

/** Transactions of accepted microblocks come first. */
function inChainOrder({ txs, microblocks }: BuiltBlock): readonly BuiltTx[] {
  const streamed = microblocks.flatMap(microblock => microblock.txs);
  return [...streamed, ...txs.filter(tx => !streamed.includes(tx))];
}

async function transactionIds(index: TestIndex, query: string): Promise<string[]> {
  const ids: string[] = [];
  for (let total = 1; ids.length < total; ) {
    const { body } = await index.get(`/extended/v1/tx?limit=50&offset=${ids.length}${query}`);
    total = body.total;
    assert.ok(body.results.length > 0 || total === 0, 'a page before the end is not empty');
    ids.push(...body.results.map((tx: { tx_id: string }) => tx.tx_id));
  }
  return ids;
}

async function assertBlockResponses(index: TestIndex, block: BuiltBlock): Promise<void> {
  const ids = inChainOrder(block).map(({ txId }) => txId);
  if (ids.length > 0) {
    const { body } = await index.get(`/extended/v2/blocks/${block.indexHash}/transactions?limit=50`);
    assert.deepEqual(
      body.results.map((tx: { tx_id: string }) => tx.tx_id),
      ids,
    );
  }
  const { body } = await index.get(`/extended/v2/blocks/${block.height}`);
  assert.equal(body.index_block_hash, block.indexHash);
}
