/** At length: another program reads what was exported, and finds what the routes have. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { atLength } from '../../../test/support/scale.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { exportList } from './export.ts';
import { EXPORT_FORMATS, EXPORTED_LIST_NAMES } from './names.ts';
import { findPin } from './pinned-reads.ts';

onEveryEngine((engine, openFresh) => {
  test(`DuckDB reads all formats of the lists of the sample chain, and its sums are those of the routes (${engine})`, {
    skip: atLength,
  }, async t => {
    const db = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(db);
    await index.deliver(...sampleEvents());
    const pin = await findPin(db, '150');
    const folder = mkdtempSync(join(tmpdir(), 'duckdb-'));
    t.after(() => rmSync(folder, { recursive: true }));
    for (const format of EXPORT_FORMATS)
      for (const list of EXPORTED_LIST_NAMES)
        await exportList({
          ...{ db, pin, list, format, to: join(folder, format), size: 100, program: '1.2.3' },
          signal: new AbortController().signal,
          onProgress: () => {},
        });
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    t.after(() => connection.closeSync());
    const query = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
    const readers = { parquet: 'read_parquet', ndjson: 'read_json', csv: 'read_csv' } as const;
    for (const format of EXPORT_FORMATS) {
      const from = (list: string) => `${readers[format]}('${join(folder, format, list)}/*.${format}')`;

      const { body: blocks } = await index.get('/extended/v2/blocks?limit=1&at=150');
      assert.deepEqual(
        await query(
          `SELECT count(*), max(block_height), arg_max(index_block_hash, block_height) FROM ${from('blocks')}`,
        ),
        [['150', '150', blocks.results[0].index_block_hash]],
      );

      const { body: transactions } = await index.get('/extended/v3/transactions?limit=1&at=150');
      assert.deepEqual(await query(`SELECT count(*), count(DISTINCT tx_id) FROM ${from('transactions')}`), [
        [String(transactions.total), String(transactions.total)],
      ]);
      assert.deepEqual(
        await query(
          `SELECT (SELECT sum(event_count) FROM ${from('transactions')}) = (SELECT count(*) FROM ${from('events')})`,
        ),
        [[true]],
      );

      const balances = await query(`SELECT principal, asset, CAST(balance AS VARCHAR) FROM ${from('balances')}`);
      assert.ok(balances.length > 50);
      for (const [principal, asset, balance] of balances) {
        const { body } = await index.get(`/extended/v1/address/${principal}/balances?at=150`);
        const expected = asset === 'STX' ? body.stx.balance : body.fungible_tokens[String(asset)].balance;
        assert.equal(balance, expected, `${format}: ${principal} ${asset}`);
      }
      // What a principal moved by events, and paid in fees, and mined, is its balance.
      for (const [asset, total] of await query(
        `SELECT asset, CAST(sum(CAST(balance AS HUGEINT)) AS VARCHAR) FROM ${from('balances')} WHERE asset <> 'STX' GROUP BY asset`,
      )) {
        const supply = await index.get(`/extended/v3/tokens/ft/${asset}/supply?at=150`);
        assert.equal(total, supply.body.total, `${format}: ${asset}`);
        assert.deepEqual(
          await query(
            `SELECT CAST(sum(CASE action WHEN 'mint' THEN 1 WHEN 'burn' THEN -1 ELSE 0 END * CAST(amount AS HUGEINT)) AS VARCHAR)
               FROM ${from('events')} WHERE asset_identifier = '${asset}'`,
          ),
          [[total]],
        );
      }
    }
  });
});
