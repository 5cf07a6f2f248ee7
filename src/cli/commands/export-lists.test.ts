import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { callProgram } from '../../../test/support/call-program.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, openPlace } from '../../../test/support/places.ts';

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
