import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readComparison, type SavedComparison, saveComparison } from './saved-comparison.ts';

const TERMS = { with: 'https://api.example', chainId: 1, routes: ['getBlockV2'], samples: 5 };
const SAVED: SavedComparison = {
  next: { round: 1, route: 'getBlockV2', samples: 2 },
  sent: ['/extended/v2/blocks/1'],
  spans: [0, 3],
  reports: [],
  finds: [[['block height', ['1']]]],
};

test('a comparison is read as it was saved, and only by the same command', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'saved-comparison-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'state');
  assert.equal(await readComparison(path, TERMS), undefined);
  await saveComparison(path, TERMS, { ...SAVED, sent: [] });
  await saveComparison(path, TERMS, SAVED);
  assert.deepEqual(await readComparison(path, TERMS), SAVED);
  await assert.rejects(readComparison(path, { ...TERMS, samples: 6 }), {
    name: 'SavedComparisonRefused',
    message: `${path} is of another comparison: --with https://api.example --routes getBlockV2 --samples 5 chain 0x00000001, not --with https://api.example --routes getBlockV2 --samples 6 chain 0x00000001`,
  });
  const text = readFileSync(path, 'utf8');
  for (const [damaged, problem] of [
    [text.slice(0, -1), 'is damaged'],
    [text.replace('"round":1', '"round":2'), 'is damaged'],
    ['{}', 'is no file of a comparison'],
    ['', 'is no file of a comparison'],
  ] as const) {
    writeFileSync(path, damaged);
    await assert.rejects(readComparison(path, TERMS), { message: `${path} ${problem}`, hint: /delete this one/ });
  }
});
