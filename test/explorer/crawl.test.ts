/** The links of the explorer over chains that nodes and the simulator wrote; src/api/explorer/explorer.test.ts follows those of the sample chain. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openFreshOf } from '../support/engines.ts';
import { RECORDED_ARCHIVES } from '../support/recording.ts';
import { referencePath, withoutReference } from '../support/reference-material.ts';
import { replayed } from '../support/replayed.ts';
import { atLength } from '../support/scale.ts';
import { openTestIndex, TESTNET } from '../support/test-index.ts';
import { crawl } from './crawl.ts';
import { PAGES_OF_TODAY } from './pages.ts';

const MAINNET = 0x00000001;
const STARTS = ['/explorer', '/explorer/blocks', '/explorer/nfts', '/explorer/names', '/explorer/help'];
const FOLLOWED = { first: 8, oneIn: 25 };

async function crawlOver(archive: string, chainId: number, starts: readonly string[]): Promise<void> {
  const { database, cleanup } = await replayed(openFreshOf.sqlite, archive, chainId)();
  const index = await openTestIndex(database, { chainId, deprecatedRoutes: false });
  assert.ok((await crawl(index, starts, FOLLOWED)) > starts.length);
  await cleanup();
}

describe('links lead to pages and records', { skip: atLength }, () => {
  test('over the chain of today', () =>
    crawlOver(join(import.meta.dirname, '../fixtures/todays-chain.tsv.gz'), TESTNET, [...STARTS, ...PAGES_OF_TODAY]));

  describe('over archives of the reference material', { skip: withoutReference('data') }, () => {
    for (const name of RECORDED_ARCHIVES)
      test(name, () =>
        crawlOver(referencePath(`data/${name}.tsv.gz`), name.startsWith('mainnet') ? MAINNET : TESTNET, STARTS),
      );
  });
});
