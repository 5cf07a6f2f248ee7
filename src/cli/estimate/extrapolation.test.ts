import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CONTENTS } from '../../ingest/chain/archive-contents.ts';
import { growthOf, predict } from './extrapolation.ts';

const NOTHING = { cpuSeconds: 0, indexBytes: 0, journalBytes: 0 };
const part = (rowBytes: number, weightBytes: number, indexBytes: number) => ({
  ...{ rowBytes, weightBytes },
  use: { cpuSeconds: indexBytes / 1000, indexBytes, journalBytes: indexBytes / 2 },
  contents: { ...NO_CONTENTS, blocks: indexBytes / 10 },
});

test('the head and an empty index count once, and each place as often as its surroundings are larger', () => {
  const fixed = { cpuSeconds: 1, indexBytes: 4096, journalBytes: 8192 };
  const parts = [part(100, 1000, 200), part(100, 3000, 400)];
  const { indexBytes, journalBytes, totalBytes, cpuSeconds, contents } = predict({
    ...{ from: 'throughout', fixed, parts, measuredAtBytes: 1e9 },
    head: part(500, 500, 50),
  });
  const scaled = 50 + 10 * 200 + 30 * 400;
  assert.equal(indexBytes.estimate, 4096 + scaled);
  assert.equal(journalBytes.estimate, 8192 + scaled / 2);
  assert.equal(totalBytes.estimate, indexBytes.estimate + journalBytes.estimate);
  assert.equal(cpuSeconds.estimate, 1 + scaled / 1000);
  assert.equal(contents.blocks, scaled / 10);
});

test('a range is wider where places differ, and widest where only the start was read', () => {
  const widthOf = (from: 'whole' | 'throughout' | 'start', last: number) => {
    const parts = [part(100, 1000, 200), part(100, 1000, 200), part(100, 1000, last)];
    const { low, high, estimate } = predict({
      ...{ from, fixed: NOTHING, parts, measuredAtBytes: 1e9 },
      head: part(1, 1, 1),
    }).indexBytes;
    assert.ok(low < estimate && estimate < high);
    return (high - low) / estimate;
  };
  const alike = widthOf('throughout', 200);
  assert.ok(Math.abs(widthOf('whole', 400) - alike) < 1e-9);
  assert.ok(widthOf('throughout', 400) > 1.5 * alike);
  assert.ok(widthOf('start', 200) > 3 * alike);
});

test('a row takes more CPU time the larger the index is, and as much as in the sample in one that is no larger', () => {
  assert.equal(growthOf(5e7, 1e8), 1);
  assert.equal(growthOf(1e8, 1e8), 1);
  assert.equal(growthOf(1e9, 1e9), 1);
  const sizes = [5e8, 1e9, 1e10, 1e11].map(bytes => growthOf(bytes, 1e8));
  for (const [i, growth] of sizes.entries()) assert.ok(growth > (sizes[i - 1] ?? 1));
  assert.ok(growthOf(1e10, 1e9) < growthOf(1e10, 1e8));
});

test('the CPU time of a block at the end of a million small blocks is that of a measurement, within a tenth', () => {
  // Idle machine: 1.5 ms a block up to 100 MB of index, 3.6 at 6.3 GB (bench/notes/2026-11.md#a-million-small-blocks).
  const [before, after] = [6.2e9, 6.4e9];
  const last = (after * growthOf(after, 5e7) - before * growthOf(before, 5e7)) / (after - before);
  assert.ok(Math.abs(last / (3.6 / 1.5) - 1) < 0.1, String(last));
});
