import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { casesOf } from '../../../test/support/scale.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { readArchive } from '../node/archive/read.ts';
import type { ArchivedEvent } from '../node/archive/row.ts';
import { parseEvent } from '../node/events/parse.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const archive = join(import.meta.dirname, '../../../examples/sample-chain.tsv.gz');

/** What a field may be replaced by: extremes, other types, and text that databases dislike. */
const HOSTILE: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2147483648,
  Number.MAX_SAFE_INTEGER,
  '',
  '0',
  '0x',
  '0x00',
  '0xff',
  `0x${'00'.repeat(32)}`,
  `0x${'ff'.repeat(32)}`,
  '340282366920938463463374607431768211455',
  '\u0000',
  'a\u0000b',
  '\ud800',
  "'; DROP TABLE txs; --",
  'SP000000000000000000002Q6VF78',
  'SP000000000000000000002Q6VF78.pox-4',
  '0x0c00000001',
  '0x0d00000005',
  'x'.repeat(5000),
  [],
  {},
  [null],
];

/** Replaces the value at one place of a document, chosen by a number; the document is changed. */
function corrupt(document: Json, place: number, value: Json): void {
  const places: [owner: Json[] | { [key: string]: Json }, key: string][] = [];
  const visit = (node: Json): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      const owner = node as { [key: string]: Json };
      places.push([owner, key]);
      visit(owner[key] ?? null);
    }
  };
  visit(document);
  const chosen = places[place % Math.max(places.length, 1)];
  if (chosen) (chosen[0] as { [key: string]: Json })[chosen[1]] = structuredClone(value);
}

/** Makes a block of the sample a new one on top of the tip, so that what is corrupt in it is applied. */
async function onTopOfTip(block: { [key: string]: Json }, index: TestIndex, number: number): Promise<void> {
  const { tip } = await index.state();
  const hash = (kind: string) => `0x${kind}${number.toString(16).padStart(62, '0')}`;
  block.block_hash = hash('b0');
  block.index_block_hash = hash('1d');
  if (!tip) return;
  block.parent_index_block_hash = tip.indexBlockHash;
  block.block_height = tip.height + 1;
  block.burn_block_hash = hash('bb');
}

async function sampleEvents(): Promise<ArchivedEvent[]> {
  const events: ArchivedEvent[] = [];
  for await (const row of readArchive(archive)) if (row.kind === 'event') events.push(row);
  return events;
}

onEveryEngine((engine, openFresh) => {
  test(`whatever the event server accepts, the index survives (${engine})`, async t => {
    const events = await sampleEvents();
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const runs = casesOf('HOSTILE_CASES', engine);
    const corruption = fc.tuple(fc.nat(), fc.constantFrom(...HOSTILE));
    let accepted = 0;
    let next = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(corruption, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (corruptions, genuine) => {
          const event = events[next++ % events.length];
          if (!event) return;
          const document = JSON.parse(Buffer.from(event.body).toString()) as Json;
          if (event.path === '/new_block') await onTopOfTip(document as { [key: string]: Json }, index, next);
          for (const [place, value] of corruptions) corrupt(document, place, value);
          const body = Buffer.from(JSON.stringify(document));
          accepted += (await offer(index, { ...event, body })) ? 1 : 0;
          // So that the chain goes on, and forks of it are corrupt and whole blocks.
          if (genuine) await offer(index, event);
        },
      ),
      { numRuns: runs, endOnFailure: true },
    );
    assert.ok(accepted > runs / 20, `only ${accepted} corrupt events were accepted`);
    assert.equal((await index.get('/extended/v2/blocks')).status, 200);
    const { body } = await index.get('/extended');
    assert.equal(body.lag, 0);
    // A false burn block of height 0 may rightly have taken the whole chain back.
    t.diagnostic(`${accepted} of ${runs} corrupt events accepted, tip at ${body.chain_tip?.block_height ?? 0}`);
  });
});

/** As the event server: what does not parse is refused, the rest is journaled and applied. */
async function offer(index: TestIndex, event: ArchivedEvent): Promise<boolean> {
  if (!parseEvent(event.path, event.body).ok) return false;
  await index.deliver(event);
  return true;
}
