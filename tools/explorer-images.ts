/**
 * `npm run docs:images`: photographs the pages of the explorer that readers open most, and its gallery of components, over the sample chain in Chromium
 * (CHROMIUM may name one), for docs/images: each in the light and in the dark theme. For server and browser it is some seconds after the newest block, so that the
 * chain looks as alive as it was; times are in UTC.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import sharp from 'sharp';
import { launch } from '../test/explorer/browser.ts';
import { ACCOUNT, DEPLOYER, NAMED_ERROR, SWAP, WAITING } from '../test/explorer/pages.ts';
import { openFreshOf } from '../test/support/engines.ts';
import { openTestIndex } from '../test/support/test-index.ts';

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly width?: number;
  readonly height?: number;
  readonly themes?: readonly Theme[];
}

type Theme = 'light' | 'dark';

const SHOTS: readonly Shot[] = [
  { name: 'home', path: '/explorer' },
  { name: 'blocks', path: '/explorer/blocks' },
  { name: 'block', path: '/explorer/block/156' },
  { name: 'transaction', path: `/explorer/tx/${SWAP}` },
  { name: 'pending', path: `/explorer/tx/${WAITING}` },
  { name: 'address', path: `/explorer/address/${ACCOUNT}` },
  { name: 'contract', path: `/explorer/contract/${DEPLOYER}.token-a` },
  { name: 'token', path: `/explorer/token/${DEPLOYER}.token-a::tokena` },
  { name: 'stacking', path: '/explorer/stacking' },
  { name: 'search', path: '/explorer/search?q=token' },
  { name: 'gallery', path: '/explorer/gallery', height: 1080 },
  { name: 'failed', path: `/explorer/tx/${NAMED_ERROR}`, height: 640, themes: ['light'] },
  { name: 'phone', path: `/explorer/address/${ACCOUNT}`, width: 390, height: 844, themes: ['light'] },
];

const directory = join(import.meta.dirname, '../docs/images');
const SECONDS_AFTER_BLOCK = 7;
/** Colours of an image: pages have few, and shades of their letters. */
const COLOURS = 64;

const fresh = await openFreshOf.sqlite();
const index = await openTestIndex(fresh.database);
await index.replay(join(import.meta.dirname, '../examples/sample-chain.tsv.gz'));
const { port, close } = await index.listen();
const { results } = (await index.get('/extended/v2/blocks?limit=1')).body;
const now = (results[0].block_time + SECONDS_AFTER_BLOCK) * 1000;
mock.timers.enable({ apis: ['Date'], now });
const browser = await launch();
await mkdir(directory, { recursive: true });
for (const file of await readdir(directory)) if (file.startsWith('explorer-')) await rm(join(directory, file));
let images = 0;
for (const theme of ['light', 'dark'] as const) {
  for (const { name, path, width = 1280, height = 800, themes = ['light', 'dark'] } of SHOTS) {
    if (!themes.includes(theme)) continue;
    const context = await browser.newContext({
      baseURL: `http://127.0.0.1:${port}`,
      colorScheme: theme,
      timezoneId: 'UTC',
      viewport: { width, height },
    });
    await context.clock.setFixedTime(now);
    const page = await context.newPage();
    await page.goto(path);
    const file = `explorer-${name}${theme === 'dark' ? '-dark' : ''}.png`;
    const png = sharp(await page.screenshot()).png({ palette: true, colours: COLOURS, dither: 0, effort: 10 });
    await png.toFile(join(directory, file));
    await context.close();
    images++;
  }
}
await browser.close();
await close();
await fresh.cleanup();
console.log(`${images} images`);
