import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { Journal } from '../src/ingest/journal/journal.ts';
import type { NewBlock } from '../src/ingest/node/events/block.ts';
import { parseEvent } from '../src/ingest/node/events/parse.ts';
import { openJournalToRead } from '../src/operate/storage/storage.ts';
import { archiveEvents } from './support/archive-events.ts';
import { callProgram } from './support/call-program.ts';
import { assertSameTables, canonicalTables } from './support/chain-assertions.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { deliverTo, dumpOf, openPlace, type Place } from './support/places.ts';
import {
  beginningsOfTenures,
  blocksOfClassA,
  chainOfNode,
  isSkipping,
  type KnownToNode,
  NODE_TOKEN,
  removableBlocks,
  startReplayingNode,
  type Tamper,
  withoutBlocks,
} from './support/replaying-node.ts';
import { todaysEvents } from './support/todays-chain.ts';

/* Blocks of the simulated chain of today are removed, and rebuilt from a node that has them. */

const events = todaysEvents();
let chain: ReadonlyMap<string, KnownToNode>;
before(async () => {
  chain = await chainOfNode(events);
});

async function repair(t: TestContext, place: Place, tamper?: Tamper, ...more: readonly string[]) {
  const node = await startReplayingNode(t, chain, tamper);
  const args = ['gaps', 'repair', '--node', node.url, '--node-pause', '0', '--pox-cycles', '0:10:2', ...more];
  const called = await callProgram([...args, ...place.args], { env: { STACKS_INDEX_NODE_TOKEN: NODE_TOKEN } });
  return { ...called, seen: node.seen };
}

/** The rebuilt blocks in the journal. */
async function rebuiltIn(place: Place): Promise<NewBlock[]> {
  const { journalDb } = await openJournalToRead(place);
  try {
    const found: NewBlock[] = [];
    for await (const { path, body } of new Journal(journalDb).entries()) {
      const event = parseEvent(path, body);
      if (path === '/rebuilt_block' && event.ok && event.value.path === '/new_block') found.push(event.value.block);
    }
    return found;
  } finally {
    await journalDb.close();
  }
}

const inOrder = (block: NewBlock): NewBlock => ({
  ...block,
  events: block.events.toSorted((a, b) => a.event_index - b.event_index),
});
const tablesOf = (place: Place) => canonicalTables({ dump: () => dumpOf(place) });

onSqliteAtLeast((engine, openFresh) => {
  test(`blocks within a tenure are rebuilt field by field, and the index is that of the delivered ones (${engine})`, async t => {
    const missing = blocksOfClassA(events);
    assert.ok(missing.length >= 4, `${missing.length}`);
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    await deliverTo(place, withoutBlocks(events, missing));
    await deliverTo(whole, events);
    const { code, output, seen } = await repair(t, place);
    assert.equal(code, 0, output);
    assert.match(output, new RegExp(`${missing.length} blocks rebuilt; 0 blocks are still missing`));
    const rebuilt = await rebuiltIn(place);
    assert.equal(rebuilt.length, missing.length);
    for (const [i, block] of missing.entries()) assert.deepEqual(inOrder(rebuilt[i] ?? block), inOrder(block));
    assertSameTables(await tablesOf(place), await tablesOf(whole));
    const verified = await callProgram(['verify', ...place.args]);
    assert.equal(verified.code, 0, verified.output);
    assert.match(verified.output, new RegExp(`note  ${missing.length} blocks were rebuilt`));
    for (const { url, headers } of seen)
      assert.equal(headers.authorization, url.includes('/replay/') ? NODE_TOKEN : undefined);
  });

  test(`rebuilt blocks are listed, exported on request alone, and counted in a snapshot; an archive replaces them (${engine})`, async t => {
    const [missing] = blocksOfClassA(events);
    assert.ok(missing);
    const directory = mkdtempSync(join(tmpdir(), 'stacks-rebuilt-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const place = await openPlace(openFresh, t);
    await deliverTo(place, withoutBlocks(events, [missing]));
    assert.equal((await repair(t, place)).code, 0);
    const rebuilt = await callProgram(['gaps', '--rebuilt', ...place.args]);
    assert.equal(rebuilt.stdout, `${missing.block_height}\t${missing.index_block_hash}\tA\t\n`);
    const snapshot = await callProgram(['snapshot', 'create', join(directory, 'snapshot'), ...place.args]);
    assert.match(snapshot.output, /note: {4}1 blocks were rebuilt/);
    const exported = async (...more: string[]) => {
      const file = join(directory, `events${more.length}.tsv.gz`);
      assert.equal((await callProgram(['export', file, ...more, ...place.args])).code, 0);
      return { file, count: archiveEvents(file).filter(({ path }) => path === '/rebuilt_block').length };
    };
    assert.equal((await exported()).count, 0);
    const { file, count } = await exported('--with-rebuilt');
    assert.equal(count, 1);
    const other = await openPlace(openFresh, t);
    assert.equal((await callProgram(['replay', file, ...other.args])).code, 0);
    assertSameTables(await tablesOf(other), await tablesOf(place));
    await deliverTo(place, events);
    assert.equal((await callProgram(['gaps', '--rebuilt', ...place.args])).stdout, '');
    const verified = await callProgram(['verify', ...place.args]);
    assert.doesNotMatch(verified.output, /never delivered/);
    assert.equal(verified.code, 0, verified.output);
  });

  test(`a repair that its node ends midway keeps what was rebuilt, and the next one rebuilds the rest (${engine})`, async t => {
    const missing = blocksOfClassA(events);
    const [, , third] = missing;
    const place = await openPlace(openFresh, t);
    await deliverTo(place, withoutBlocks(events, missing));
    const ends: Tamper = path =>
      path === `/v3/blocks/${third?.index_block_hash.slice(2)}`
        ? (response: ServerResponse) => void response.writeHead(500).end()
        : undefined;
    const first = await repair(t, place, ends);
    assert.equal(first.code, 1);
    assert.match(first.stderr, /responded 500/);
    assert.equal((await rebuiltIn(place)).length, 2);
    assert.equal((await callProgram(['gaps', ...place.args])).stdout.trim().split('\n').length, missing.length - 2);
    assert.equal((await repair(t, place)).code, 0);
    assert.deepEqual(
      (await rebuiltIn(place)).map(({ block_height }) => block_height),
      missing.map(({ block_height }) => block_height),
    );
  });

  test(`blocks that a replay cannot give stay missing, with the reason (${engine})`, async t => {
    for (const block of [...beginningsOfTenures(events), ...removableBlocks(events).filter(isSkipping)]) {
      const place = await openPlace(openFresh, t);
      await deliverTo(place, withoutBlocks(events, [block]));
      const { code, stdout } = await repair(t, place);
      assert.equal(code, 1);
      const { block_height: height, index_block_hash: hash } = block;
      assert.match(stdout, new RegExp(`^${height}\t${hash}\tC\t.*(a tenure begins|skip markers)`));
      assert.deepEqual(await rebuiltIn(place), []);
    }
  });
});
