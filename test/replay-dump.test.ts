/** A dump of the hosted API's database, made and read by the programs of one PostgreSQL installation, as docs/mainnet.md has it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventsOfARound } from './crash/round.ts';
import { callProgram } from './support/call-program.ts';
import { openFreshOf } from './support/engines.ts';
import { fillObserverTable, withSchemaOf } from './support/observer-table.ts';
import { dumpOf, openPlace } from './support/places.ts';
import { startOwnPostgres } from './support/postgres.ts';
import { atLength } from './support/scale.ts';

const program = join(import.meta.dirname, '../bin/stacks-index');

/** Large enough for all that the programs print here. */
const MOST_BYTES = 256 * 1024 * 1024;

test('a dump that pg_dump made gives, through pg_restore, the index of the database itself', {
  skip: atLength,
}, async t => {
  const server = await startOwnPostgres(['pg_dump', 'pg_restore']);
  if ('missing' in server) return t.skip(server.missing);
  t.after(() => server.stop());
  const directory = mkdtempSync(join(tmpdir(), 'stacks-index-dump-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  await fillObserverTable(server.url, eventsOfARound());
  // A dump has rows as they lie in the table, where a small one may have come to a place before a large one. The order of ids decides forks.
  await withSchemaOf(server.url, async client => {
    await client.query('CLUSTER event_observer_requests USING event_observer_requests_pkey');
  });
  const dump = join(directory, 'api.dump');
  const run = (name: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(join(server.bin, name), args, { maxBuffer: MOST_BYTES });
    assert.equal(status, 0, String(stderr));
    return stdout;
  };
  run('pg_dump', '--format=custom', `--file=${dump}`, server.url);
  const rows = run('pg_restore', '--data-only', '--table=event_observer_requests', '--file=-', dump);
  const [fromDump, fromDatabase] = [await openPlace(openFreshOf.sqlite, t), await openPlace(openFreshOf.sqlite, t)];
  const loaded = spawnSync(program, ['replay', '-', ...fromDump.args], { input: rows, maxBuffer: MOST_BYTES });
  assert.equal(loaded.status, 0, String(loaded.stderr));
  const copied = await callProgram(['replay', '--from', server.url, ...fromDatabase.args]);
  assert.equal(copied.code, 0, copied.output);
  const expected = await dumpOf(fromDatabase);
  assert.ok((expected.blocks?.length ?? 0) > 10);
  assert.deepEqual(await dumpOf(fromDump), expected);

  const other = run('pg_restore', '--data-only', '--table=no_such_table', '--file=-', dump);
  const refused = spawnSync(program, ['replay', '-', ...fromDump.args], { input: other, encoding: 'utf8' });
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /pg_restore --list/);
});
