import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import type { ApiResponse, TestIndex, TestIndexOptions } from '../support/test-index.ts';

/** A subject of releases after 9.0: its rules, each with requests whose responses show it. */
export interface Subject {
  readonly subject: string;
  readonly options?: TestIndexOptions;
  /** In order: a rule sees what was delivered before it. */
  readonly steps: () => readonly Step[];
}

/** A rule, or deliveries without one. */
export interface Step {
  readonly rule?: string;
  readonly run: (index: TestIndex, test: TestContext) => Promise<void>;
}

export const arrives = (...deliveries: readonly Delivery[]): Step => ({
  run: async index => void (await index.deliver(...deliveries)),
});

/** @param part what of the body shows the rule */
export const shows = (rule: string, url: string, part: (body: ApiResponse['body']) => unknown, is: unknown): Step => ({
  rule,
  run: async index => {
    const { status, body } = await index.get(url);
    assert.equal(status, 200, `${url}: ${body.message}`);
    assert.deepEqual(part(body), is, url);
  },
});

export const responds = (rule: string, status: number, ...urls: readonly string[]): Step => ({
  rule,
  run: async index => {
    for (const url of urls) assert.equal((await index.get(url)).status, status, url);
  },
});

/** Pages of one have the rows of a page of all, in their order. */
export const walks = (url: string): Step => ({
  rule: 'a walk by pages of one has each row once, in order',
  run: async index => {
    const all = (await index.get(url)).body.results;
    const rows: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await index.get(`${url}?limit=1${cursor}`);
      rows.push(...body.results);
      if (body.cursor.next === null) break;
      cursor = `&cursor=${body.cursor.next}`;
    }
    assert.deepEqual(rows, all);
  },
});

/** The response is a 304 until these deliveries, and then none. */
export const expires = (rule: string, url: string, ...deliveries: readonly Delivery[]): Step => ({
  rule,
  run: async index => {
    const { headers } = await index.get(url);
    const again = async () => (await index.get(url, { 'if-none-match': String(headers.etag) })).status;
    assert.equal(await again(), 304, url);
    await index.deliver(...deliveries);
    assert.equal(await again(), 200, url);
  },
});
