/**
 * `npm run past-index -- VERSION`: makes the small index of a past release that tests upgrade, from its commit (test/support/past-index.ts). It needs a pg_dump on
 * the PATH that is not older than the PostgreSQL server; STACKS_INDEX_TEST_DATABASE names a server of that version.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync } from 'node:zlib';
import { partOfArchive } from '../test/crash/round.ts';
import { checkOutPast } from '../test/support/past-checkout.ts';
import { DUMPED_SCHEMA, PAST_EVENTS, PAST_FILES, PAST_INDEXES } from '../test/support/past-index.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { run } from './release/commands.ts';
import { readReleases } from './release/releases.ts';

const ROOT = join(import.meta.dirname, '..');

const [version = ''] = process.argv.slice(2);
const release = readReleases(ROOT).find(each => each.version === version);
if (release === undefined) throw new Error(`releases.json has no release ${JSON.stringify(version)}`);
const past = checkOutPast(release.commit);
if ('missing' in past) throw new Error(`${past.missing}: ${release.commit}`);
const work = mkdtempSync(join(tmpdir(), 'stacks-past-index-'));
const data = join(work, 'data');
const folder = join(PAST_INDEXES, version);
mkdirSync(folder, { recursive: true });

const keep = (name: string, content: Uint8Array): void =>
  writeFileSync(
    join(folder, `${name}.zst`),
    zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }),
  );

const server = await startPostgres();
try {
  const program = (...args: string[]) => run(past.program, args, { cwd: work, env: past.env });
  program('replay', partOfArchive(work, PAST_EVENTS), '--data', data, '--chain-id', '0x80000000');
  if ('missing' in server) throw new Error(server.missing);
  program('copy', '--from', data, '--to', `${server.url}?schema=${DUMPED_SCHEMA}`);
  for (const name of PAST_FILES) {
    const db = new DatabaseSync(join(data, name));
    db.exec('VACUUM');
    db.close();
    keep(name, readFileSync(join(data, name)));
  }
  const dump = run(
    'pg_dump',
    ['--inserts', '--rows-per-insert=1000', '--no-owner', '--no-privileges', `--schema=${DUMPED_SCHEMA}`, server.url],
    { cwd: work },
  );
  // Commands of psql, and the settings of the session of pg_dump, are not for a client that goes on with its connection.
  keep('postgres.sql', Buffer.from(dump.replaceAll(/^(?:\\.*|SET .*|SELECT pg_catalog\.set_config.*|--.*)?\n/gm, '')));
} finally {
  if (!('missing' in server)) await server.stop();
  past.remove();
  rmSync(work, { recursive: true, force: true });
}
