import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'node:test';
import { onEveryEngine } from './support/engines.ts';
import { openTestIndex } from './support/test-index.ts';

const root = join(import.meta.dirname, '..');

onEveryEngine((engine, openFresh) => {
  test(`the sample chain is indexed on ${engine}`, async t => {
    const { database } = await openFresh(t);
    const index = await openTestIndex(database);
    const state = await index.replay(join(root, 'examples/sample-chain.tsv.gz'));
    assert.equal(state.tip?.height, 156);
    assert.equal((await index.get('/extended/v2/blocks/latest')).body.height, 156);
  });
});
void readFileSync; void gunzipSync;
