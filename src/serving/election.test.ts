import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { startPostgres } from '../../test/support/postgres.ts';
import { until } from '../../test/support/until.ts';
import { type Candidacy, stand } from './election.ts';

const server = await startPostgres();
const url = 'url' in server ? server.url : '';
const options = { skip: 'missing' in server ? server.missing : false };
const logger = pino({ level: 'silent' });

interface Candidate extends Candidacy {
  readonly name: string;
}

/** Candidates for one post; `inOffice` has those that do its work, in the order in which they began. */
function candidates(t: TestContext, post: string, names: readonly string[]) {
  const inOffice: string[] = [];
  const overlaps: string[][] = [];
  const standing: Candidate[] = names.map(name => ({
    name,
    ...stand({
      url,
      name: post,
      logger,
      onFailure: error => assert.fail(String(error)),
      takeOffice: async () => {
        inOffice.push(name);
        overlaps.push([...inOffice]);
        return { stop: async () => void inOffice.splice(inOffice.indexOf(name), 1) };
      },
    }),
  }));
  t.after(() => Promise.all(standing.map(each => each.withdraw())).then(() => undefined));
  return { standing, inOffice, overlaps };
}

test('of several candidates one is in office; when it withdraws another one takes over', options, async t => {
  const { standing, inOffice, overlaps } = candidates(t, `election ${process.pid} withdraw`, ['a', 'b', 'c']);
  for (let left = 3; left > 0; left--) {
    await until(() => inOffice.length === 1 && standing.some(each => each.isElected()), 'nobody is elected');
    const elected = standing.filter(each => each.isElected());
    assert.deepEqual(
      elected.map(({ name }) => name),
      inOffice,
    );
    await elected[0]?.withdraw();
  }
  assert.deepEqual(inOffice, []);
  assert.deepEqual(
    overlaps.map(names => names.length),
    [1, 1, 1],
  );
});

test('whoever loses its connection leaves office, and somebody is in office again', options, async t => {
  const post = `election ${process.pid} lost`;
  const { standing, inOffice, overlaps: terms } = candidates(t, post, ['a', 'b']);
  await until(() => inOffice.length === 1, 'nobody is elected');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const begun = standing.map(each => each.isElected());
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`,
    [post],
  );
  await client.end();
  assert.equal(begun.filter(Boolean).length, 1);
  await until(() => terms.length === 2 && inOffice.length === 1, 'nobody is elected again');
  assert.equal(standing.filter(each => each.isElected()).length, 1);
});
