import assert from 'node:assert/strict';
import { buildChain } from '../chains/build.ts';
import { canonicalChain } from '../chains/canonical.ts';
import { chainPlans } from '../chains/plan.ts';
import { defineProperty } from '../chains/property.ts';
import { chainRequests } from '../chains/requests.ts';
import fc from '../support/fast-check.ts';
import { apiDocument } from '../support/operations.ts';
import { scale } from '../support/scale.ts';
import type { TestIndex } from '../support/test-index.ts';

const REQUESTS = scale === 'all' ? 60 : 12;

async function cases() {
  const document = await apiDocument();
  return chainPlans({ maxSteps: 40 }).chain(plan => {
    const requests = chainRequests(buildChain(plan), document, ({ parameters = [] }) =>
      parameters.some(({ name }) => name === 'format'),
    );
    return fc.record({
      plan: fc.constant(plan),
      paths: fc.array(requests, { minLength: REQUESTS, maxLength: REQUESTS, size: 'max' }),
      place: fc.nat({ max: 1000 }),
      limit: fc.integer({ min: 1, max: 4 }),
    });
  });
}

type Row = Readonly<Record<string, unknown>> | string;
type Place = { readonly at: object; readonly cursor?: string | null; readonly offset?: number };

/** docs/past.md#lists-to-take-home */
export const downloads = defineProperty({
  file: 'downloads',
  rule: 'the rows of a download are those of the pages of its list, in every form, and a part of it continues the file that ends there',
  cases,
  hold: async (bench, { plan, paths, place, limit }) => {
    const chain = buildChain(plan);
    const on = await bench.openIndex();
    const { index } = on;
    await on.deliver(
      chain.sent.map(({ delivery }) => delivery),
      plan.batch,
    );
    const { blocks } = canonicalChain(chain.sent);
    const block = blocks[place % Math.max(1, blocks.length)];
    if (!block) return;
    for (const path of paths) {
      const asked = path.replace(/([?&])limit=\d+&?/, '$1').replace(/[?&]$/, '');
      const list: string = `${asked}${asked.includes('?') ? '&' : '?'}limit=${limit}&at=${block.indexHash}`;
      const rows = await rowsByLinks(index, list);
      const file = await index.page(`${list}&format=ndjson`);
      assert.equal(file.status, rows === undefined ? (await index.page(list)).status : 200, list);
      if (rows === undefined) continue;
      const lines = linesOf(file.body);
      assert.deepEqual(
        lines.filter(line => !isPlace(line)),
        rows,
        list,
      );
      const table = await index.page(`${list}&format=csv`);
      assert.equal(recordsOf(table.body), rows.length + 1, list);
      await assertContinued(index, list, lines.filter(isPlace), { file: file.body, table: table.body });
    }
  },
});

const linesOf = (file: string): (Row | Place)[] =>
  file
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

const isPlace = (line: Row | Place): line is Place => typeof line === 'object' && 'at' in line;

/** Lines outside of quotes. */
const recordsOf = (table: string): number => table.replaceAll(/"[^"]*"/g, '').split('\r\n').length - 1;

/** The rows of all pages, as their links lead from one to the next; undefined for an error. */
async function rowsByLinks(index: TestIndex, url: string): Promise<Row[] | undefined> {
  const rows: Row[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const { status, body, headers } = await index.page(next);
    if (status !== 200) return undefined;
    rows.push(...JSON.parse(body).results);
    next = /^<([^>]+)>/.exec(String(headers.link ?? ''))?.[1];
  }
  return rows;
}

/** A download that begins at the last of these places is the end of the file. */
async function assertContinued(
  index: TestIndex,
  list: string,
  places: readonly Place[],
  { file, table }: { readonly file: string; readonly table: string },
): Promise<void> {
  const last = places.at(-1);
  if (last === undefined || places.length < 2) return;
  const { cursor, offset } = last;
  const query = list.replaceAll(/[?&](cursor|offset)=[^&]*/g, found => (found.startsWith('?') ? '?' : ''));
  const from = `${query}&${cursor == null ? `offset=${offset}` : `cursor=${encodeURIComponent(cursor)}`}`;
  const rest = await index.page(`${from}&format=ndjson`);
  assert.equal(file.slice(0, file.lastIndexOf('{"at":')) + rest.body, file, list);
  const { body } = await index.page(`${from}&format=csv`);
  const head = body.indexOf('\r\n') + 2;
  assert.ok(table.startsWith(body.slice(0, head)) && table.endsWith(body.slice(head)), list);
}
