import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTransaction } from '../../src/base/codec/index.ts';
import type { ArchivedEvent } from '../../src/ingest/node/archive/row.ts';
import { parseEvent } from '../../src/ingest/node/events/parse.ts';
import { onSqliteAtLeast } from '../../test/support/engines.ts';
import { databaseWithTables } from '../../test/support/reused-database.ts';
import { openTestIndex } from '../../test/support/test-index.ts';
import { type ChainOptions, simulatedChain } from './chain.ts';
import { PROFILES } from './profiles.ts';

const OPTIONS: ChainOptions = { profile: PROFILES.nakamoto, blocks: 500, seed: 'test' };

async function eventsOf(options: ChainOptions): Promise<ArchivedEvent[]> {
  const events: ArchivedEvent[] = [];
  for await (const event of simulatedChain(options)) events.push(event);
  return events;
}

async function blocksOf(options: ChainOptions) {
  const parsed = (await eventsOf(options)).map(({ path, body }) => parseEvent(path, body));
  return parsed.flatMap(event => {
    assert.ok(event.ok, event.ok ? '' : event.error.message);
    return event.value.path === '/new_block' && event.value.block.block_height > 0 ? [event.value.block] : [];
  });
}

test('the same options make the same archive, and another seed another one', async () => {
  const few = { ...OPTIONS, blocks: 30 };
  assert.deepEqual(await eventsOf(few), await eventsOf(few));
  assert.notDeepEqual(await eventsOf({ ...few, seed: 'other' }), await eventsOf(few));
});

test('blocks, tenures and transactions are as many as the profile says', async () => {
  const { tenureBlocks, transactions } = OPTIONS.profile;
  const blocks = await blocksOf(OPTIONS);
  assert.equal(blocks.length, OPTIONS.blocks);
  const tenures = [...Map.groupBy(blocks, block => block.burn_block_hash).values()];
  for (const { length } of tenures.slice(0, -1)) assert.ok(length >= tenureBlocks[0] && length <= tenureBlocks[1]);
  for (const block of blocks) {
    const ordinary = block.transactions.filter(tx => !['tenure_change', 'coinbase'].includes(kindOf(tx))).length;
    assert.ok(ordinary >= transactions[0] && ordinary <= transactions[1]);
  }
  const changes = blocks.flatMap(block => block.transactions.filter(tx => kindOf(tx) === 'tenure_change'));
  assert.ok(changes.length > tenures.length, 'no tenure is extended');
});

function kindOf({ raw_tx }: { readonly raw_tx: string }): string {
  const decoded = decodeTransaction(Buffer.from(raw_tx.slice(2), 'hex'));
  assert.ok(decoded.ok);
  return decoded.value.payload.kind;
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a simulated chain is indexed up to its last block, and nothing is set aside (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    await index.journal.append(await eventsOf(OPTIONS));
    const { tip } = await index.indexer.catchUp();
    assert.equal(tip?.height, OPTIONS.blocks);
    const setAside = await database.read(queries => queries.all('SELECT position, reason FROM set_aside'));
    assert.deepEqual(setAside, []);
  });
});
