import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onEveryEngine, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { readParquet } from '../../../test/support/parquet.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import type { Database } from '../../base/store/database.ts';
import { exportList } from './export.ts';
import { EXPORTED_LIST_NAMES, type ExportedListName, type ExportFormat } from './names.ts';
import { findPin } from './pinned-reads.ts';

const COIN = `${accountAddress(9)}.token::coin`;

/** A call that mints coins to one account and moves some of them to another, and prints. */
const coins = (chain: ChainBuilder, amount: number): BuiltTx => {
  const { body } = chain.call('token', 'mint');
  const [sender, recipient] = [accountAddress(4), accountAddress(5)];
  const ofToken = { asset_identifier: COIN, amount: String(amount) };
  const events = [
    { type: 'ft_mint_event', ft_mint_event: { ...ofToken, recipient: sender } },
    { type: 'ft_transfer_event', ft_transfer_event: { ...ofToken, sender, recipient, amount: '7' } },
    {
      type: 'contract_event',
      contract_event: { contract_identifier: `${accountAddress(9)}.token`, topic: 'print', raw_value: '0x03' },
    },
  ].map(event => ({ ...event, txid: body.txid, committed: true }));
  return { txId: String(body.txid), body, events };
};

/** Blocks of four transactions. */
function grow(chain: ChainBuilder, count: number, parent?: BuiltBlock): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (let i = 0; i < count; i++) {
    const below = blocks.at(-1) ?? parent;
    const txs = [chain.coinbase(), chain.transfer(), chain.transfer({ from: 3, to: 4 }), coins(chain, 100 + i)];
    blocks.push(chain.block({ ...(below && { parent: below }), txs }));
  }
  return blocks;
}

const deliver = (index: TestIndex, blocks: readonly BuiltBlock[]) =>
  index.deliver(...blocks.map(block => block.delivery));

/** An empty directory that goes after the test. */
function directory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'export-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

interface Wanted {
  readonly to: string;
  readonly list?: ExportedListName;
  readonly format?: ExportFormat;
  readonly at?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number, rows: number) => void;
}

/** Exports a list in parts of eight transactions, two blocks of `grow`. */
async function exported(db: Database, { at, list = 'transactions', format = 'parquet', ...wanted }: Wanted) {
  const pin = await findPin(db, at);
  const quietly = { signal: new AbortController().signal, onProgress: () => {} };
  return exportList({ db, pin, list, format, size: 8, program: '1.2.3', ...quietly, ...wanted });
}

const manifestOf = (to: string, list: ExportedListName = 'transactions') =>
  JSON.parse(readFileSync(join(to, list, 'manifest.json'), 'utf8'));

const parts = (to: string, list: ExportedListName = 'transactions'): string[] =>
  readdirSync(join(to, list))
    .filter(name => name.startsWith(list))
    .sort();

/** What a file is, whatever its name: one that is written anew is another. */
const identities = (to: string) =>
  parts(to).map(name => {
    const { ino, mtimeNs } = statSync(join(to, 'transactions', name), { bigint: true });
    return `${ino} ${mtimeNs}`;
  });

/** All rows of a list, from the files that its manifest names, each with its checksum. */
async function rowsOf(to: string, list: ExportedListName = 'transactions') {
  const manifest = manifestOf(to, list);
  const rows: Record<string, unknown>[] = [];
  for (const { file, sha256, bytes, rows: count } of manifest.parts) {
    const content = readFileSync(join(to, list, file));
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
    const ofPart = await readParquet(content);
    assert.deepEqual([content.length, ofPart.length], [bytes, count]);
    rows.push(...ofPart);
  }
  assert.equal(rows.length, manifest.rows);
  assert.deepEqual(
    parts(to, list),
    manifest.parts.map(({ file }: { file: string }) => file),
  );
  return rows;
}

interface TransactionOfApi {
  readonly tx_id: string;
  readonly type: string;
  readonly sender: { readonly address: string };
  readonly fee_rate: string;
  readonly status: string;
  readonly block: { readonly tx_index: number };
}

onEveryEngine((engine, openFresh) => {
  test(`lists as of a block have the rows that the routes have as of it (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(db);
    await deliver(index, grow(new ChainBuilder(), 5));
    const to = directory(t);
    for (const list of EXPORTED_LIST_NAMES) await exported(db, { to, list, at: '3' });

    const blocks = await rowsOf(to, 'blocks');
    assert.deepEqual(
      blocks.map(row => [row.block_height, row.first_tx_position, row.tx_count]),
      [
        [1, 0, 4],
        [2, 4, 4],
        [3, 8, 4],
      ],
    );
    const { body: newest } = await index.get('/extended/v2/blocks?limit=1&at=3');
    const [shown] = newest.results;
    assert.equal(blocks[2]?.index_block_hash, shown.index_block_hash);
    assert.deepEqual(blocks[2]?.block_time, new Date(shown.block_time_iso));

    const transactions = await rowsOf(to);
    const { body: page } = await index.get('/extended/v3/transactions?limit=50&at=3');
    assert.deepEqual(
      transactions.map(row => [row.tx_id, row.type, row.sender, Number(row.fee), row.status, row.tx_index]),
      page.results
        .toReversed()
        .map(({ tx_id, type, sender, fee_rate, status, block }: TransactionOfApi) => [
          ...[tx_id, type, sender.address, Number(fee_rate), status, block.tx_index],
        ]),
    );
    const moved = transactions.find(row => row.type === 'token_transfer');
    assert.deepEqual([moved?.recipient, moved?.sponsor], [accountAddress(7), null]);

    const events = await rowsOf(to, 'events');
    assert.equal(events.length, 3 * (1 + 1 + 3));
    const minted = events.filter(row => row.action === 'mint').map(row => Number(row.amount));
    const supply = await index.get(`/extended/v3/tokens/ft/${COIN}/supply?at=3`);
    assert.equal(String(minted.reduce((sum, amount) => sum + amount)), supply.body.total);
    assert.deepEqual(
      events.slice(2, 5).map(row => [row.tx_position, row.event_index, row.type, row.asset_identifier, row.value_repr]),
      [
        [3, 0, 'ft_asset', COIN, null],
        [3, 1, 'ft_asset', COIN, null],
        [3, 2, 'contract_log', null, 'true'],
      ],
    );

    const balances = await rowsOf(to, 'balances');
    assert.ok(balances.length > 5);
    for (const { principal, asset, balance } of balances) {
      const { body } = await index.get(`/extended/v1/address/${principal}/balances?at=3`);
      const { balance: expected } = asset === 'STX' ? body.stx : body.fungible_tokens[String(asset)];
      assert.equal(String(balance), expected, `${principal} ${asset}`);
    }
    const held = balances.filter(({ asset }) => asset === COIN).map(({ balance }) => Number(balance));
    assert.equal(String(held.reduce((sum, amount) => sum + amount)), supply.body.total);
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`a later export adds parts, and after a fork writes those anew that the fork changed (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(db);
    const chain = new ChainBuilder();
    const blocks = grow(chain, 5);
    await deliver(index, blocks);
    const to = directory(t);
    assert.deepEqual(await exported(db, { to }), { ...(await exported(db, { to })), written: 3, kept: 0 });
    const first = identities(to);
    assert.equal(first.length, 3);

    await deliver(index, grow(chain, 3, blocks[4]));
    const { written, kept } = await exported(db, { to });
    assert.deepEqual([written, kept], [2, 2], 'the part that was not full, and a new one');
    assert.deepEqual(identities(to).slice(0, 2), first.slice(0, 2));
    assert.equal((await rowsOf(to)).length, 32);
    await assert.rejects(exported(db, { to, at: '7' }), /has the list as of block 8, which is above block 7/);

    // From block 3 on, and longer: part 0 has blocks 1 and 2.
    const fork = grow(chain, 4, blocks[2]);
    await deliver(index, [...fork, ...grow(chain, 3, fork[3])]);
    const forked = await exported(db, { to, at: '6' });
    assert.deepEqual([forked.written, forked.kept], [2, 1]);
    assert.equal(identities(to)[0], first[0]);
    const rows = await rowsOf(to);
    assert.deepEqual(
      rows.slice(12).map(row => row.tx_id),
      fork.slice(0, 3).flatMap(({ txs }) => txs.map(({ txId }) => txId)),
    );
  });

  test(`an export that was stopped goes on, and its files are those of one that was not (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    await deliver(await openTestIndex(db), grow(new ChainBuilder(), 9));
    const [to, whole] = [directory(t), directory(t)];
    await exported(db, { to: whole });
    for (const stopAt of [1, 17]) {
      const stop = new AbortController();
      const onProgress = (_share: number, rows: number) => rows >= stopAt && stop.abort();
      await assert.rejects(exported(db, { to, signal: stop.signal, onProgress }), { name: 'AbortError' });
      const left = readdirSync(join(to, 'transactions'));
      assert.ok(left.includes('unfinished.json') && !left.includes('manifest.json'), String(left));
    }
    const stopped = identities(to);
    assert.equal(stopped.length, 2);
    // What a process that is gone was writing, and a file that was renamed before it could be noted.
    writeFileSync(join(to, 'transactions/transactions-000002.parquet.4194305.partial'), 'half');
    writeFileSync(join(to, 'transactions/transactions-000003.parquet'), 'other');
    const { written, kept } = await exported(db, { to });
    assert.deepEqual([written, kept], [3, 2]);
    assert.deepEqual(identities(to).slice(0, 2), stopped);
    assert.deepEqual(manifestOf(to), manifestOf(whole));
    assert.equal((await rowsOf(to)).length, 36);
    assert.deepEqual(readdirSync(join(to, 'transactions')).sort(), readdirSync(join(whole, 'transactions')).sort());
  });

  test(`a fork ends an export of the block that it replaced, and the next one is of the new chain (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(db);
    const chain = new ChainBuilder();
    const blocks = grow(chain, 6);
    await deliver(index, blocks);
    const to = directory(t);
    const fork = grow(chain, 5, blocks[2]);
    let replaced: Promise<unknown> | undefined;
    const pin = await findPin(db, undefined);
    const pages = exportList({
      ...{ db, pin, list: 'transactions', format: 'parquet', to, size: 8, program: '1.2.3' },
      signal: new AbortController().signal,
      onProgress: () => {
        replaced ??= deliver(index, fork);
      },
    });
    await assert.rejects(
      pages.then(async () => {
        await replaced;
        return exportList({
          ...{ db, pin, list: 'events', format: 'parquet', to, size: 8, program: '1.2.3' },
          signal: new AbortController().signal,
          onProgress: () => {},
        });
      }),
      { code: 'NOT_CANONICAL', message: /above height 3/ },
    );
    await exported(db, { to });
    const rows = await rowsOf(to);
    assert.equal(rows.at(-1)?.tx_id, fork.at(-1)?.txs.at(-1)?.txId);
    await assert.rejects(exported(db, { to, at: blocks[5]?.indexHash ?? '' }), { code: 'NOT_CANONICAL' });
  });

  test(`a directory of another format, list or chain is refused (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    await deliver(await openTestIndex(db), grow(new ChainBuilder(), 2));
    const to = directory(t);
    await exported(db, { to });
    await assert.rejects(exported(db, { to, format: 'csv' }), /has format parquet, not csv/);
    const file = join(to, 'file');
    writeFileSync(file, '');
    await assert.rejects(exported(db, { to: file }), {
      name: 'ExportRefused',
      message: /cannot be written: not a dir/,
    });
    const pin = await findPin(db, undefined);
    const other = { ...pin, chainId: 1 };
    const quietly = { signal: new AbortController().signal, onProgress: () => {} };
    const terms = { db, list: 'transactions', format: 'parquet', to, size: 8, program: '1.2.3', ...quietly } as const;
    await assert.rejects(exportList({ ...terms, pin: other }), /has chain_id 0x80000000, not 0x00000001/);
    await assert.rejects(exportList({ ...terms, pin, size: 9 }), /has part_transactions 8, not 9/);
    writeFileSync(join(to, 'transactions/manifest.json'), '{"parts":[null]}');
    await assert.rejects(exported(db, { to }), /does not describe an exported list/);
  });

  test(`a manifest that was edited costs no file, and its blocks must have hashes (${engine})`, async t => {
    const db = await databaseWithTables(openFresh, t);
    await deliver(await openTestIndex(db), grow(new ChainBuilder(), 6));
    const to = directory(t);
    await exported(db, { to });
    const manifest = manifestOf(to);
    const write = (edited: object) =>
      writeFileSync(join(to, 'transactions/manifest.json'), JSON.stringify({ ...manifest, ...edited }));
    write({ parts: manifest.parts.map((part: object) => ({ ...part, file: '../../other' })) });
    const { written, kept } = await exported(db, { to });
    assert.deepEqual([written, kept], [0, 3]);
    assert.deepEqual(manifestOf(to), manifest);
    assert.equal((await rowsOf(to)).length, 24);
    write({ block: { ...manifest.block, height: 99, index_block_hash: 'none' } });
    await assert.rejects(exported(db, { to }), /does not describe an exported list/);
  });
});
