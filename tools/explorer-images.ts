/**
 * `npm run docs:images`: photographs pages of the explorer over the sample chain in Chromium (CHROMIUM may name one), for docs/images. Times are those of the
 * chain, in UTC.
 */
import { join } from 'node:path';
import { launch } from '../test/explorer/browser.ts';
import { ACCOUNT, DEPLOYER, NAMED_ERROR, SWAP } from '../test/explorer/pages.ts';
import { openFreshOf } from '../test/support/engines.ts';
import { openTestIndex } from '../test/support/test-index.ts';

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly theme?: 'dark';
  readonly width?: number;
  readonly height?: number;
}

const SHOTS: readonly Shot[] = [
  { name: 'explorer-home', path: '/explorer' },
  { name: 'explorer-transaction', path: `/explorer/tx/${SWAP}` },
  { name: 'explorer-address', path: `/explorer/address/${ACCOUNT}`, theme: 'dark' },
  { name: 'explorer-failed', path: `/explorer/tx/${NAMED_ERROR}`, height: 600 },
  { name: 'explorer-source', path: `/explorer/contract/${DEPLOYER}.token-a/source` },
  { name: 'explorer-phone', path: `/explorer/address/${ACCOUNT}`, width: 390, height: 844 },
  { name: 'explorer-gallery', path: '/explorer/gallery' },
  { name: 'explorer-gallery-dark', path: '/explorer/gallery', theme: 'dark' },
];

const fresh = await openFreshOf.sqlite();
const index = await openTestIndex(fresh.database);
await index.replay(join(import.meta.dirname, '../examples/sample-chain.tsv.gz'));
const { port, close } = await index.listen();
const browser = await launch();
for (const { name, path, theme = 'light', width = 1100, height = 800 } of SHOTS) {
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${port}`,
    colorScheme: theme,
    timezoneId: 'UTC',
    viewport: { width, height },
  });
  const page = await context.newPage();
  await page.goto(path);
  await page.screenshot({ path: join(import.meta.dirname, `../docs/images/${name}.png`) });
  await context.close();
}
await browser.close();
await close();
await fresh.cleanup();
console.log(`${SHOTS.length} images`);
