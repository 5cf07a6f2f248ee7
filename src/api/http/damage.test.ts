import assert from 'node:assert/strict';
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { openSqlite } from '../../base/store/sqlite.ts';

const PAGE = 4096;

/** Writes garbage over all pages of a database but the first, which has its schema. */
function damage(file: string): void {
  const handle = openSync(file, 'r+');
  const pages = fstatSync(handle).size / PAGE;
  for (let page = 1; page < pages; page++) writeSync(handle, Buffer.alloc(PAGE, 0xff), 0, PAGE, page * PAGE);
  closeSync(handle);
}

test('routes that read a damaged page respond 503 DATABASE_DAMAGED, whatever they read', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'index.sqlite');
  const chain = new ChainBuilder();
  const blocks = chain.chain(40);
  const first = openSqlite(file, { durability: 'normal' });
  await (await openTestIndex(first)).deliver(...blocks.map(block => block.delivery));
  await first.close();

  const db = openSqlite(file, { durability: 'normal' });
  t.after(() => db.close());
  const index = await openTestIndex(db);
  await index.get('/openapi.json');
  damage(file);
  const [block] = blocks;
  const [, tx] = block?.txs ?? [];
  for (const path of [
    '/extended/v2/blocks',
    `/extended/v1/block/${block?.hash}`,
    `/extended/v1/tx/${tx?.txId}`,
    `/extended/v1/tx/${tx?.txId}/raw`,
    '/extended/v3/transactions',
    '/extended/v1/address/ST000000000000000000002AMW42H/balances',
    '/extended/v1/burnchain/rewards',
    '/extended/v1/tx/mempool',
  ]) {
    const { status, body, headers } = await index.get(path);
    assert.deepEqual([status, body.code, headers.etag], [503, 'DATABASE_DAMAGED', undefined], path);
  }
});
