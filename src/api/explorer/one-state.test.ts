import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import type { Database } from '../../base/store/database.ts';

/** A chain to which a block is added right before chosen reads of its index. */
async function chainThatGrows() {
  const fresh = await openFreshOf.sqlite();
  let reads = 0;
  let isDue = (_read: number): boolean => false;
  const database: Database = {
    ...fresh.database,
    read: async (work, sharing) => {
      if (isDue(++reads)) await grow();
      return fresh.database.read(work, sharing);
    },
  };
  const index = await openTestIndex(database);
  const chain = new ChainBuilder();
  let tip = chain.block();
  await index.deliver(tip.burn.delivery, tip.delivery);
  const grow = async () => {
    const due = isDue;
    isDue = () => false; // the reads of the block itself
    tip = chain.block({ parent: tip, txs: [chain.coinbase(), chain.transfer(), chain.transfer()] });
    await index.deliver(tip.burn.delivery, tip.delivery);
    isDue = due;
  };
  return {
    /** The page, while a block arrives before each of its reads that is due. */
    page: async (path: string, due: (read: number) => boolean = () => false) => {
      reads = 0;
      isDue = due;
      const { status, body } = await index.page(path);
      isDue = () => false;
      return { status, body };
    },
    reads: () => reads,
    close: () => fresh.cleanup(),
  };
}

const PAGES = ['/explorer', `/explorer/address/${accountAddress(9)}`, '/explorer/block/1'];
const MIXED = 'its parts may be of different moments';

test('a block that arrives between two requests of a page mixes no figures: the page is made again', async () => {
  const { page, reads, close } = await chainThatGrows();
  for (const path of PAGES) {
    await page(path);
    const all = reads();
    assert.ok(all > 3, path);
    for (let read = 1; read <= all; read++) {
      const { body } = await page(path, at => at === read);
      assert.equal(body, (await page(path)).body, `${path}: a block before read ${read} of ${all}`);
      assert.ok(!body.includes(MIXED));
    }
  }
  await close();
});

test('where blocks arrive without end, a page still comes, and tells that its parts may differ', async () => {
  const { page, close } = await chainThatGrows();
  const { status, body } = await page('/explorer', () => true);
  assert.equal(status, 200);
  assert.ok(body.includes(MIXED));
  await close();
});
