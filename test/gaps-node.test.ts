import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
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
import { onEveryEngine, onSqliteAtLeast } from './support/engines.ts';
import { deliverTo, dumpOf, openPlace, type Place } from './support/places.ts';
import {
  blocksIn,
  chainOfNode,
  type KnownToNode,
  NODE_TOKEN,
  startReplayingNode,
  type Tamper,
} from './support/replaying-node.ts';
import { todaysEvents } from './support/todays-chain.ts';

/* Blocks of the simulated chain of today are removed, and rebuilt from a node that has them. */

const events = todaysEvents();
const blocks = blocksIn(events);

let chain: ReadonlyMap<string, KnownToNode>;
before(async () => {
  chain = await chainOfNode(events);
});

/** Blocks with a delivered child, and no other block at their height. */
const removable = blocks.filter(
  ({ index_block_hash: hash, block_height: height }) =>
    height > 1 &&
    blocks.some(block => block.parent_index_block_hash === hash) &&
    blocks.filter(block => block.block_height === height).length === 1,
);
const isSkipping = ({ transactions }: NewBlock) => transactions.some(({ status }) => status === 'problematic_skipped');
/** The parent of a block. */
const parentOf = (block: NewBlock) =>
  blocks.find(({ index_block_hash }) => index_block_hash === block.parent_index_block_hash);
const beginsTenure = (block: NewBlock) => parentOf(block)?.consensus_hash !== block.consensus_hash;
/** A tenure change has 117 bytes behind its type. */
const changesTenure = (block: NewBlock) => block.transactions.some(({ raw_tx }) => /07.{234}$/.test(raw_tx));

const withoutBlocks = (missing: readonly NewBlock[]) => {
  const hashes = new Set(missing.map(({ index_block_hash }) => index_block_hash));
  return events.filter(({ path, body }) => {
    const event = parseEvent(path, body);
    return !(event.ok && event.value.path === '/new_block' && hashes.has(event.value.block.index_block_hash));
  });
};

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

onEveryEngine((engine, openFresh) => {
  test(`blocks within a tenure are rebuilt field by field, and the index is that of the delivered ones (${engine})`, async t => {
    const missing = removable.filter(block => !changesTenure(block) && !isSkipping(block));
    assert.ok(missing.length >= 4, `${missing.length}`);
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    await deliverTo(place, withoutBlocks(missing));
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
});

onSqliteAtLeast((engine, openFresh) => {
  test(`rebuilt blocks are listed, exported on request alone, and counted in a snapshot; an archive replaces them (${engine})`, async t => {
    const [missing] = removable.filter(block => !changesTenure(block) && !isSkipping(block));
    assert.ok(missing);
    const directory = mkdtempSync(join(tmpdir(), 'stacks-rebuilt-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const place = await openPlace(openFresh, t);
    await deliverTo(place, withoutBlocks([missing]));
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

  test(`blocks that a replay cannot give stay missing, with the reason (${engine})`, async t => {
    const missing = removable.filter(block => beginsTenure(block) || isSkipping(block));
    for (const block of missing) {
      const place = await openPlace(openFresh, t);
      await deliverTo(place, withoutBlocks([block]));
      const { code, stdout } = await repair(t, place);
      assert.equal(code, 1);
      const { block_height: height, index_block_hash: hash } = block;
      assert.match(stdout, new RegExp(`^${height}\t${hash}\tC\t.*(a tenure begins|skip markers)`));
      assert.deepEqual(await rebuiltIn(place), []);
    }
  });
});
