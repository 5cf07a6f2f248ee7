import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/fast-check.ts';
import type { Queries, Row, SqlValue } from '../../base/store/database.ts';
import { packRecord } from '../../index/transactions/packed-record.ts';
import { type ChainPosition, compareChainPositions, countUpTo } from './chain-position.ts';

const HEIGHT = 7;
const FIRST = 1000;

/** A chain of which only one block is known, with transactions at these places, and how many statements it answered. */
function blockOf(places: readonly (readonly [sequence: number, index: number])[]): Queries & { statements: number } {
  const rowOf = (position: SqlValue): Row[] => {
    const [sequence, index] = places[Number(position) - FIRST] ?? [];
    const record = `{"tx_id":"0x","canonical":true,"tx_index":${index},"microblock_sequence":${sequence}}`;
    return index === undefined ? [] : [{ seq: position, height: HEIGHT, record: packRecord(record) }];
  };
  const queries = {
    statements: 0,
    async get(_sql: string, [position]: readonly SqlValue[] = []) {
      queries.statements++;
      return position === HEIGHT - 1 ? { first_tx: FIRST, tx_rows: places.length } : undefined;
    },
    async all(_sql: string, positions: readonly SqlValue[] = []) {
      queries.statements++;
      return positions.flatMap(rowOf);
    },
  };
  return queries as unknown as Queries & { statements: number };
}

const part = fc.oneof(fc.nat({ max: 40 }), fc.constantFrom(2_147_483_647, Number.MAX_SAFE_INTEGER));
const sequence = fc.constantFrom(0, 1, 2_147_483_647);

test('as many transactions of a block are counted as are at the place or before it, whatever their indexes are', async () => {
  const block = fc
    .array(fc.tuple(sequence, fc.nat({ max: 40 })), { maxLength: 60 })
    .map(places => places.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
  await fc.assert(
    fc.asyncProperty(block, fc.tuple(fc.constant(HEIGHT), part, part), async (places, wanted: ChainPosition) => {
      const upTo = places.filter(place => compareChainPositions([HEIGHT, ...place], wanted) <= 0).length;
      assert.equal(await countUpTo(blockOf(places), wanted), FIRST + upTo);
    }),
  );
});

test('a transaction of a block without microblocks is found in two statements, however large the block is', async () => {
  const places = Array.from({ length: 5000 }, (_, index) => [2_147_483_647, index] as const);
  for (const index of [0, 1, 17, 2500, 4998, 4999]) {
    const queries = blockOf(places);
    assert.equal(await countUpTo(queries, [HEIGHT, 2_147_483_647, index]), FIRST + index + 1);
    assert.equal(queries.statements, 2);
  }
});
