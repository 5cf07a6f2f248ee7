import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteHandle } from '../../src/base/store/sqlite-handle.ts';
import { casesOf } from '../support/scale.ts';
import { until } from '../support/until.ts';
import { dataOf, slotsOf } from './checkpoint-writer.ts';
import { seededRandom } from './random.ts';

const KILLS = casesOf('WRITER_KILLS');
const MOST_DELAY_MS = 20;
const random = seededRandom(Number(process.env.CRASH_SEED ?? 1));

interface Killed {
  /** The last transaction that it said was committed. */
  readonly last: number;
  /** How often its WAL has started over. */
  readonly startedOver: number;
}

/** Lets the writer commit so many transactions, and kills it a little later. */
async function writeAndKill(file: string, transactions: number): Promise<Killed> {
  const program = join(import.meta.dirname, 'checkpoint-writer.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });
  await until(() => output.split('\n').length > transactions, 'the writer does not write');
  await delay(random.next() * MOST_DELAY_MS);
  child.kill('SIGKILL');
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL', 'it ended by itself');
  const lines = output.slice(0, output.lastIndexOf('\n')).split('\n');
  const committed = lines.map(line => line.split(' ').map(Number));
  const lengths = committed.map(([, pages = 0]) => pages);
  return {
    last: committed.at(-1)?.[0] ?? 0,
    startedOver: lengths.filter((pages, i) => pages < (lengths[i - 1] ?? 0)).length,
  };
}

/** Checks that the file holds the first n transactions, for some n, whole and in order. @returns n */
async function assertWhole(file: string): Promise<number> {
  const db = openSqliteHandle(file, 'writer', { durability: 'normal' });
  try {
    assert.deepEqual(await db.queries.all('PRAGMA integrity_check'), [{ integrity_check: 'ok' }]);
    const rows = await db.queries.all<{ slot: number; written_by: number; data: Uint8Array }>('SELECT * FROM slots');
    const n = Math.max(...rows.map(row => row.written_by));
    const writtenBy = new Map<number, number>();
    for (let each = 1; each <= n; each++) for (const slot of slotsOf(each)) writtenBy.set(slot, each);
    assert.deepEqual(
      new Map(rows.map(row => [row.slot, row.written_by])),
      new Map([...writtenBy].sort(([a], [b]) => a - b)),
    );
    for (const { slot, written_by, data } of rows) assert.ok(dataOf(slot, written_by).equals(data), `slot ${slot}`);
    return n;
  } finally {
    db.close();
  }
}

test('whenever a writer is killed that checkpoints in a thread, what it has committed is there, and the file is whole', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-checkpoints-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'index.sqlite');
  let before = 0;
  let startedOver = 0;
  for (let i = 0; i < KILLS; i++) {
    const killed = await writeAndKill(file, random.int(1, 300));
    startedOver += killed.startedOver;
    const n = await assertWhole(file);
    assert.ok(n >= killed.last && n > before, `${n} transactions are left of ${killed.last}`);
    before = n;
  }
  t.diagnostic(`${before} transactions, the WAL started over ${startedOver} times`);
  assert.ok(startedOver > 0, 'the thread has copied nothing');
});
