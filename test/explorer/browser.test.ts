/** The explorer in a real browser. A short run looks at a few pages, `npm run test:all` at all of them in both themes and three widths. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ChainBuilder } from '../support/chain-builder.ts';
import { openFreshOf } from '../support/engines.ts';
import { announced, transferOf } from '../support/pending-transactions.ts';
import { atLength, scale } from '../support/scale.ts';
import { openTestIndex, type TestIndex } from '../support/test-index.ts';
import { launch, noBrowser, openTab, startPrefixProxy } from './browser.ts';
import { openHostileChain, PAYLOAD_GROUPS, UNEXPECTED } from './hostile-chain.ts';
import { ACCOUNT, PAGES, PAGES_OF_TODAY } from './pages.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = scale === 'all' ? [320, 768, 1440] : [320];
const THEMES = scale === 'all' ? (['light', 'dark'] as const) : (['dark'] as const);
/** Those that a short run looks at: between them they have what all pages are made of. */
const LOOKED_AT = scale === 'all' ? PAGES : PAGES.filter((_, i) => [0, 4, 6].includes(i));

describe('in a browser', { skip: noBrowser }, () => {
  let browser: Browser;
  let sample: { index: TestIndex; origin: string; port: number; close(): Promise<void> };
  before(async () => {
    browser = await launch();
    const fresh = await openFreshOf.sqlite();
    const index = await openTestIndex(fresh.database);
    await index.replay(join(import.meta.dirname, '../../examples/sample-chain.tsv.gz'));
    sample = await served(index, () => fresh.cleanup());
  });
  after(async () => {
    await browser?.close();
    await sample?.close();
  });

  test('pages load without an error, keep to their policy, fit their width and are accessible', async () => {
    await lookAt(browser, sample.origin, LOOKED_AT);
  });

  test('so do pages about PoX 5', { skip: atLength }, async () => {
    const fresh = await openFreshOf.sqlite();
    const index = await openTestIndex(fresh.database);
    await index.replay(join(import.meta.dirname, '../fixtures/todays-chain.tsv.gz'));
    const today = await served(index, () => fresh.cleanup());
    await lookAt(browser, today.origin, PAGES_OF_TODAY);
    await today.close();
  });

  test('on a phone the header is one row, and a row of transactions has two lines', async () => {
    const { page, close } = await openTab(browser, sample.origin, { viewport: { width: 390, height: 844 } });
    const pages = ['/explorer', `/explorer/address/${ACCOUNT}`, '/explorer/mempool', '/explorer/block/156'];
    for (const path of scale === 'all' ? pages : pages.slice(0, 2)) {
      await page.goto(path);
      const heightsOf = async (selector: string): Promise<readonly number[]> => {
        const boxes = await Promise.all((await page.locator(selector).all()).map(each => each.boundingBox()));
        return boxes.map(box => box?.height ?? 0);
      };
      const [header = 0] = await heightsOf('header');
      const rows = await heightsOf('.list tr:has(td[data-head="Action"])');
      assert.ok(header <= 64, `${path}: a header of ${header}`);
      assert.ok(rows.length > 0, path);
      // Memos and amounts of millions with six decimals need a third line, more of them in wide fonts such as DejaVu.
      const high = rows.filter(height => height > 68);
      assert.ok(high.length <= rows.length / 4, `${path}: ${rows}`);
    }
    await close();
  });

  test('without scripts, a page has the same text in its lists and details', async () => {
    const [plain, scripted] = [
      await openTab(browser, sample.origin, { javaScriptEnabled: false }),
      await openTab(browser, sample.origin),
    ];
    for (const path of scale === 'all' ? PAGES : LOOKED_AT.slice(-1)) {
      const texts: string[][] = [];
      for (const { page } of [plain, scripted]) {
        await page.goto(path);
        const rows = await rowsOf(page);
        // The page of the status counts what clients hold at this moment.
        texts.push(path.endsWith('/status') ? rows.map(row => row.replaceAll(/\d+/g, '#')) : rows);
      }
      assert.ok(texts[0] && texts[0].length > 0, path);
      assert.deepEqual(texts[0], texts[1], path);
    }
    await plain.close();
    await scripted.close();
  });

  test('behind a prefix that nobody told the server of, every click stays behind it', async () => {
    const proxy = await startPrefixProxy(sample.port, '/a/b');
    const tab = await openTab(browser, proxy.origin);
    const { page, complaints } = tab;
    await page.goto('/a/b/explorer');
    const links = ['.picture .column a', 'header .home', 'header nav a[href=mempool]', 'main table .id'];
    for (const link of scale === 'all' ? links : links.slice(0, 2)) {
      await page.locator(link).first().click();
      assert.match(new URL(page.url()).pathname, /^\/a\/b\/explorer/, link);
      assert.ok(await page.locator('h1').count());
    }
    await page.fill('header input', ACCOUNT);
    await page.press('header input', 'Enter');
    await page.waitForURL(`**/a/b/explorer/address/${ACCOUNT}`);
    assert.deepEqual(complaints, []);
    await tab.close();
    proxy.close();
  });

  test('what is typed is looked up meanwhile, and keys lead through pages', async () => {
    const tab = await openTab(browser, sample.origin);
    const { page } = tab;
    await page.goto('/explorer/blocks');
    await page.keyboard.press('/');
    await page.keyboard.type('156');
    // What was typed first has suggestions of its own.
    await page.locator('#suggestions a[href$="block/156"]').waitFor();
    assert.equal(await page.locator('#suggestions a').count(), 2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/explorer/block/156');
    await page.keyboard.press('[');
    await page.waitForURL('**/explorer/block/155');
    await page.keyboard.press('j');
    assert.equal(await page.evaluate(`document.activeElement.closest('tr') !== null`), true);
    await page.keyboard.press('t');
    assert.match((await page.getAttribute('html', 'data-theme')) ?? '', /^(dark|light)$/);
    assert.deepEqual(tab.complaints, []);
    await tab.close();
  });

  test('blocks arrive, a fork takes one back, and a waiting transaction is mined before the eyes of the reader', async () => {
    const fresh = await openFreshOf.sqlite();
    const live = await served(await openTestIndex(fresh.database), () => fresh.cleanup());
    const chain = new ChainBuilder('browser');
    const [first, second] = chain.chain(2);
    assert.ok(first && second);
    const waiting = transferOf({ nonce: 0 });
    await live.index.deliver(first.delivery, announced(waiting));
    const [home, transaction] = [await openTab(browser, live.origin), await openTab(browser, live.origin)];
    await home.page.goto('/explorer');
    await transaction.page.goto(`/explorer/tx/${waiting.txId}`);
    assert.match((await transaction.page.textContent('h1')) ?? '', /Pending/);
    for (const { page } of [home, transaction]) await page.getByText('live', { exact: true }).waitFor();

    await live.index.deliver(second.delivery);
    await home.page.locator(`.new[data-block="${second.indexHash}"]`).waitFor();
    const other = chain.block({ parent: first, txs: [chain.coinbase(), waiting] });
    await live.index.deliver(other.delivery, chain.block({ parent: other }).delivery);
    await home.page.locator(`.lost[data-block="${second.indexHash}"]`).waitFor();
    assert.match((await home.page.textContent('#notice')) ?? '', /A fork: 1 block was replaced/);
    await transaction.page.locator('h1 .chip.ok').waitFor();
    assert.match(await transaction.page.title(), /^Confirmed/);
    assert.deepEqual([...home.complaints, ...transaction.complaints], []);
    await home.close();
    await transaction.close();
    await live.close();
  });

  test('what others wrote to break pages runs nowhere and leaves no element', async () => {
    for (const payloads of scale === 'all' ? PAYLOAD_GROUPS : PAYLOAD_GROUPS.slice(0, 1)) {
      const hostile = await openHostileChain(payloads);
      const live = await served(hostile.index, () => hostile.close());
      const tab = await openTab(browser, live.origin);
      for (const [place, path] of hostile.pages.filter((_, i) => scale === 'all' || i % 8 === 3)) {
        await tab.page.goto(path);
        assert.equal(await tab.page.evaluate(() => Reflect.get(globalThis, 'taken')), undefined, place);
        assert.equal(await tab.page.locator(UNEXPECTED).count(), 0, place);
      }
      const [complaint] = tab.complaints.filter(each => !/status of 4\d\d/.test(each));
      assert.equal(complaint, undefined);
      await tab.close();
      await live.close();
    }
  });
});

/** Loads these pages in each theme and width and checks them for errors. */
async function lookAt(browser: Browser, origin: string, paths: readonly string[]): Promise<void> {
  for (const colorScheme of THEMES)
    for (const width of WIDTHS) {
      const tab = await openTab(browser, origin, { colorScheme, viewport: { width, height: 900 } });
      for (const path of paths) {
        await tab.page.goto(path);
        assert.deepEqual(tab.complaints, [], `${path} at ${width}, ${colorScheme}`);
        assert.equal(await overflow(tab.page), 0, `${path} is wider than ${width}`);
        assert.deepEqual(await violations(tab.page), [], `${path} at ${width}, ${colorScheme}`);
      }
      await tab.close();
    }
}

async function served(index: TestIndex, cleanup: () => Promise<void>) {
  const { port, close } = await index.listen();
  const origin = `http://127.0.0.1:${port}`;
  return { index, port, origin, close: () => close().then(cleanup) };
}

/** Pixels by which a page is wider than its window. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** What axe finds, each with where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(`${AXE};undefined`);
  return page.evaluate(async () => {
    const axe = Reflect.get(globalThis, 'axe') as {
      run(
        options: object,
      ): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary: string }[] }[] }>;
    };
    // Lighthouse requires it too: links far enough from each other for a finger.
    const found = await axe.run({ rules: { 'target-size': { enabled: true } } });
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
    );
  });
}

/** The cells of tables and lists without their times and the buttons that copy, which are what scripts change. */
const rowsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main :is(td, dd, li, h1, h2)')]
    .filter(cell => !cell.querySelector('time, button'))
    .map(cell => cell.textContent)`);
