/** Lists of version 3, walked by cursors on the sample chain, are those of versions 1 and 2. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFreshOf } from './support/engines.ts';
import { openTestIndex, type TestIndex } from './support/test-index.ts';

const archive = join(import.meta.dirname, '../examples/sample-chain.tsv.gz');
const LIMIT = 7;
/** The longest page of the older lists. */
const LONGEST = 50;

// Records are looked into freely.
// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
type Read = (record: any) => string;

/** Every row from the first page on; then back by `previous` from the last one, to the first page again. */
async function walked(index: TestIndex, path: string, read: Read): Promise<string[]> {
  const pages: string[][] = [];
  const visit = async (cursor: string | null) => {
    const { body } = await index.get(`${path}?limit=${LIMIT}${cursor === null ? '' : `&cursor=${cursor}`}`);
    assert.equal(
      (await index.get(`${path}?limit=${LIMIT}&cursor=${body.cursor.current}`)).body.cursor.next,
      body.cursor.next,
    );
    return { body, ids: (body.results as unknown[]).map(read) };
  };
  let page = await visit(null);
  pages.push(page.ids);
  while (page.body.cursor.next !== null) {
    page = await visit(page.body.cursor.next);
    pages.push(page.ids);
  }
  for (const ids of pages.toReversed()) {
    assert.deepEqual(page.ids, ids, path);
    if (page.body.cursor.previous !== null) page = await visit(page.body.cursor.previous);
  }
  assert.equal(page.body.cursor.previous, null);
  const all = pages.flat();
  assert.equal(page.body.total, all.length);
  return all;
}

/** Every row by offsets. */
async function paged(index: TestIndex, path: string, read: Read): Promise<string[]> {
  const all: string[] = [];
  for (let total = 1; all.length < total; ) {
    const { body } = await index.get(`${path}limit=${LONGEST}&offset=${all.length}`);
    total = body.total;
    all.push(...body.results.map(read));
  }
  return all;
}

test('walking a list of version 3 gives what the list of an older version gives', async t => {
  const index = await openTestIndex((await openFreshOf.sqlite(t)).database);
  await index.replay(archive);
  const id: Read = record => record.tx_id;
  const all = await walked(index, '/extended/v3/transactions', id);
  assert.deepEqual(all, await paged(index, '/extended/v1/tx?unanchored=true&', id));
  const { body: blocks } = await index.get('/extended/v2/blocks?limit=30');
  for (const { height } of blocks.results) {
    const own = await paged(index, `/extended/v2/blocks/${height}/transactions?`, id);
    if (own.length > 0)
      assert.deepEqual(await walked(index, `/extended/v3/blocks/${height}/transactions`, id), own.toReversed());
  }
  const { body: newest } = await index.get('/extended/v3/transactions?limit=50');
  const senders = new Set<string>(newest.results.map((tx: { sender: { address: string } }) => tx.sender.address));
  for (const principal of senders) {
    assert.deepEqual(
      await walked(index, `/extended/v3/principals/${principal}/transactions`, record => record.transaction.tx_id),
      await paged(index, `/extended/v2/addresses/${principal}/transactions?`, record => record.tx.tx_id),
    );
  }
});
