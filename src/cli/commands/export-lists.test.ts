import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram } from '../../../test/crash/program.ts';
import { seededRandom } from '../../../test/crash/random.ts';
import { sampleEvents } from '../../../test/crash/round.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, openPlace } from '../../../test/support/places.ts';
import { atLength } from '../../../test/support/scale.ts';
import { until } from '../../../test/support/until.ts';

test('export --list writes lists as of a block, each in its directory, and prints what it did', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(place, sampleEvents().slice(0, 60));
  const to = mkdtempSync(join(tmpdir(), 'lists-'));
  t.after(() => rmSync(to, { recursive: true }));
  const run = (...args: string[]) => callProgram(['export', ...place.args, ...args]);

  const done = await run('--list', 'events,blocks', '--format', 'ndjson', '--at', '4', '--to', to);
  assert.equal(done.code, 0, done.output);
  assert.match(done.stdout, /^blocks {2}4 rows, \d+ bytes; parts: 1 written, 0 kept; as of block 4 0x[0-9a-f]{64}$/m);
  assert.deepEqual(readdirSync(to).sort(), ['blocks', 'events']);
  const blocks = readFileSync(join(to, 'blocks/blocks-000000.ndjson'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    blocks.map(line => JSON.parse(line).block_height),
    [1, 2, 3, 4],
  );

  const above = await run('--list', 'blocks', '--format', 'ndjson', '--at', '100000', '--to', to);
  assert.deepEqual(
    [above.code, above.output],
    [1, 'stacks-index: The chain has no block for at=100000: it is above the tip, or below the first block\n'],
  );

  for (const [args, message] of [
    [[], /needs the file of an archive, or --list and --to/],
    [['--list', 'blocks'], /--list needs --to DIR/],
    [['--list', 'blocks', '--to', 'postgres://localhost/lists'], /--to of export is a directory/],
    [['--list', 'blocks', '--to', to, 'file.tsv'], /not both/],
    [['--list', 'blocks', '--to', to, '--with-rebuilt'], /--with-rebuilt is for archives/],
    [['file.tsv', '--at', '4'], /--at needs --list/],
    [['file.tsv', '--format', 'csv'], /--format needs --list/],
    [
      ['--list', 'blocks,names', '--to', to],
      /--list must be one or more of blocks, transactions, events, balances, separated by commas/,
    ],
    [['--list', 'blocks', '--to', to, '--at', 'latest'], /--at must be a height, an index block hash/],
    [['--list', 'blocks', '--to', to, '--format', 'xlsx'], /--format must be one of parquet, ndjson, csv/],
  ] as const) {
    const refused = await run(...args);
    assert.equal(refused.code, 2, refused.output);
    assert.match(refused.stderr, message);
  }
});

/** The files of an exported list with their content, without what a run leaves for the next one. */
const contentOf = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter(name => name !== '.lock')
      .map(name => [name, readFileSync(join(folder, name)).toString('base64')]),
  );

test('killed again and again, an export ends with the files of one that was not killed', {
  skip: atLength,
}, async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(place, sampleEvents());
  const folder = mkdtempSync(join(tmpdir(), 'killed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const random = seededRandom(37);
  const args = (to: string) => ['export', ...place.args, '--list', 'events', '--part-transactions', '10', '--to', to];
  const [to, whole] = [join(folder, 'killed'), join(folder, 'whole')];
  assert.equal((await callProgram(args(whole))).code, 0);
  let kills = 0;
  for (let ends = false; !ends; ) {
    const program = runProgram(args(to));
    const files = () => (existsSync(join(to, 'events')) ? readdirSync(join(to, 'events')).length : 0);
    const wanted = files() + 1 + random.int(0, 29);
    let isOver = false;
    void program.ended.then(() => {
      isOver = true;
    });
    await until(() => isOver || files() >= wanted, 'the export stands still', program);
    const { code, signal } = await program.kill('SIGKILL');
    ends = code !== null;
    kills += Number(signal === 'SIGKILL');
    assert.ok(code === null || code === 0, program.output());
  }
  t.diagnostic(`${kills} kills`);
  assert.ok(kills > 0);
  assert.deepEqual(contentOf(join(to, 'events')), contentOf(join(whole, 'events')));
});
