import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { replayed } from '../../../test/support/replayed.ts';
import { packRecord, unpackIndexInBlock, unpackRecord } from './packed-record.ts';

/** It ends the record of what no microblock has. */
const shared0 =
  ',"is_unanchored":false,"microblock_hash":"0x","microblock_sequence":2147483647,"microblock_canonical":true,"execution_cost_read_count":';

/** Texts that records share, and pieces of them. */
const shared = fc.constantFrom(
  shared0,
  '{"tx_id":"0x',
  '","sponsored":false,"post_condition_mode":"deny","post_conditions":[',
  '","name":"',
  ',"nonce":',
  '"},{"hex":"0x',
);

describe('packed records', () => {
  it('any text is given back as it was', () => {
    const text = fc.array(fc.oneof(anyText(), shared, fc.string({ minLength: 100, maxLength: 600 })));
    fc.assert(
      fc.property(text, pieces => {
        const record = pieces.join('');
        assert.equal(unpackRecord(packRecord(record)), record);
      }),
    );
  });

  it('more shared texts than a head can name are left as they are', () => {
    const record = '{"tx_id":"0x'.repeat(500);
    assert.equal(unpackRecord(packRecord(record)), record);
  });

  it('the place of a transaction is told as its record tells it, whatever stands around', () => {
    const index = fc.nat({ max: 2 ** 31 });
    const status = fc.constantFrom(
      ',"tx_status":"success","tx_result":{"hex":"0x0703","repr":"(ok true)"},"event_count":',
      '',
    );
    const anchored = fc.constantFrom(shared0, ',"microblock_sequence":');
    fc.assert(
      fc.property(
        fc.string(),
        index,
        status,
        index,
        anchored,
        index,
        (text, txIndex, result, events, before, sequence) => {
          const inBlock = `,"canonical":true,"tx_index":${txIndex}${result || ',"event_count":'}${events}`;
          const record = `{"memo":${JSON.stringify(text)}${inBlock}${before}${sequence},"nonce":5}`;
          const { tx_index, microblock_sequence } = JSON.parse(record) as Record<string, unknown>;
          assert.deepEqual(unpackIndexInBlock(packRecord(record)), {
            txIndex: tx_index,
            microblockSequence: microblock_sequence,
          });
        },
      ),
    );
  });

  it('arguments and prints are stored without the keys around their values, and amounts without their upper bytes', () => {
    const uint = `01${'0'.repeat(22)}2dda7ee0`;
    const values = `0x${uint}u769501920`;
    const argument = `{"hex":"0x${uint}","repr":"u769501920","name":"amount","type":"uint"},{"hex":"0x`;
    const print = `,"event_type":"smart_contract_log","tx_id":"0xab","contract_log":{"contract_id":"ST1.a","topic":"print","value":{"hex":"0x${uint}","repr":"u769501920"}}}`;
    for (const text of [argument, print]) assert.ok(packRecord(text).length < values.length + 20, packRecord(text));
  });

  it('no character is one that a database refuses', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(shared, fc.json())), pieces => {
        assert.ok(!packRecord(pieces.join('')).includes('\u0000'));
      }),
    );
  });
});

onSqliteAtLeast((engine, openFresh) => {
  it(`records take less than half of their size in the index (${engine})`, async t => {
    const archive = join(import.meta.dirname, '../../../examples/sample-chain.tsv.gz');
    const { database } = await replayed(openFresh, archive)(t);
    const rows = await database.read(queries => queries.all<{ record: string }>('SELECT record FROM txs'));
    const stored = rows.reduce((sum, { record }) => sum + Buffer.byteLength(record), 0);
    const served = rows.reduce((sum, { record }) => sum + Buffer.byteLength(unpackRecord(record)), 0);
    assert.ok(stored < served * 0.6, `${stored} of ${served} bytes`);
    for (const { record } of rows) {
      const { tx_index, microblock_sequence } = JSON.parse(unpackRecord(record));
      assert.deepEqual(unpackIndexInBlock(record), { txIndex: tx_index, microblockSequence: microblock_sequence });
    }
  });
});
