import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readParquet } from '../../../../test/support/parquet.ts';
import { always, type ExportRow, sometimes, tokenAmount } from '../columns.ts';
import { parquetEncoder } from './parquet.ts';
import type { RowEncoder } from './row-encoder.ts';
import { csvEncoder, ndjsonEncoder } from './text.ts';

const COLUMNS = {
  height: always('integer', ''),
  text: sometimes('text', ''),
  amount: sometimes('amount', ''),
  time: sometimes('time', ''),
  args: sometimes('json', ''),
};

const MOST = 10n ** 38n - 1n;

const ROWS: readonly ExportRow<typeof COLUMNS>[] = [
  { height: 0, text: 'a "b", ⚡', amount: 1n, time: 1_700_000_000, args: '[{"repr":"u1"}]' },
  { height: 2 ** 53 - 1, text: '=1+1\n', amount: MOST, time: 0, args: '[]' },
  { height: 7, text: '', amount: -MOST, time: null, args: null },
  { height: 7, text: null, amount: null, time: null, args: null },
];

/** The file that an encoder makes of rows that come in pages. */
const fileOf = (encoder: RowEncoder, rows: readonly ExportRow[], page = 1) => {
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < rows.length; from += page) chunks.push(encoder.add(rows.slice(from, from + page)));
  return Buffer.concat([...chunks, encoder.end()]);
};

test('Parquet has every value of every type, amounts to the last of 38 digits, and nulls', async () => {
  const read = await readParquet(fileOf(parquetEncoder(COLUMNS, 'test'), ROWS));
  const dates = ROWS.map(row => ({ ...row, time: row.time === null ? null : new Date(row.time * 1000) }));
  assert.deepEqual(read, dates);
  assert.deepEqual(await readParquet(fileOf(parquetEncoder(COLUMNS, 'test'), [])), []);
});

test('Parquet of more rows than a group has has all of them in order', async () => {
  const rows = Array.from({ length: 20_500 }, (_, height) => ({ height, name: `0x${height}` }));
  const columns = { height: always('integer', ''), name: always('text', '') };
  assert.deepEqual(await readParquet(fileOf(parquetEncoder(columns, 'test'), rows, 1000)), rows);
  // Large texts end a group before its rows do.
  const large = Array.from({ length: 3 }, (_, height) => ({ height, name: String(height).repeat(9_000_000) }));
  const read = await readParquet(fileOf(parquetEncoder(columns, 'test'), large));
  assert.ok(read.every(({ name }, height) => name === large[height]?.name));
});

test('NDJSON has an object a row, with amounts and times as texts', () => {
  const lines = fileOf(ndjsonEncoder(COLUMNS), ROWS).toString().trimEnd().split('\n');
  assert.deepEqual(
    lines.map(line => JSON.parse(line)),
    [
      { height: 0, text: 'a "b", ⚡', amount: '1', time: '2023-11-14T22:13:20.000Z', args: [{ repr: 'u1' }] },
      { height: 2 ** 53 - 1, text: '=1+1\n', amount: String(MOST), time: '1970-01-01T00:00:00.000Z', args: [] },
      { height: 7, text: '', amount: String(-MOST), time: null, args: null },
      { height: 7, text: null, amount: null, time: null, args: null },
    ],
  );
});

test('CSV has a line of names, quotes texts, disarms formulas, and leaves nulls without quotes', () => {
  assert.equal(
    fileOf(csvEncoder(COLUMNS), ROWS).toString(),
    [
      '"height","text","amount","time","args"',
      `0,"a ""b"", ⚡",1,2023-11-14T22:13:20.000Z,"[{""repr"":""u1""}]"`,
      `9007199254740991,"'=1+1\n",${MOST},1970-01-01T00:00:00.000Z,"[]"`,
      `7,"",-${MOST},,`,
      '7,,,,',
      '',
    ].join('\r\n'),
  );
  assert.equal(fileOf(csvEncoder(COLUMNS), []).toString(), '"height","text","amount","time","args"\r\n', 'no rows');
});

test('an amount of more than 38 digits is in the column for large ones', () => {
  const largest = 2n ** 128n - 1n;
  assert.deepEqual(tokenAmount(String(largest)), { amount: null, large: String(largest) });
  assert.deepEqual(tokenAmount(MOST), { amount: MOST, large: null });
  assert.deepEqual(tokenAmount(MOST + 1n), { amount: null, large: `1${'0'.repeat(38)}` });
});
