import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { until } from '../../../test/support/until.ts';
import { type Election, electLeader } from './election.ts';

const server = sharedPostgres();
let url: string;
before(async () => {
  if ('url' in server) url = await server.url();
});
const options = { skip: 'missing' in server ? server.missing : false };
const logger = pino({ level: 'silent' });

interface Candidate extends Election {
  readonly name: string;
}

/** Candidates for one lock. `leading` has those that do the work of the leader, in the order in which they began. */
function candidates(t: TestContext, lock: string, names: readonly string[]) {
  const leading: string[] = [];
  const overlaps: string[][] = [];
  const all: Candidate[] = names.map(name => ({
    name,
    ...electLeader({
      url,
      name: lock,
      logger,
      onFailure: error => assert.fail(String(error)),
      lead: async () => {
        leading.push(name);
        overlaps.push([...leading]);
        return { stop: async () => void leading.splice(leading.indexOf(name), 1) };
      },
    }),
  }));
  t.after(() => Promise.all(all.map(each => each.stepDown())).then(() => undefined));
  /** Whether one of them leads. @throws when several have led at once, as that never ends by itself */
  const oneLeads = (): boolean => {
    assert.deepEqual(
      overlaps.filter(({ length }) => length > 1),
      [],
      'several lead at once',
    );
    return leading.length === 1 && all.some(each => each.isLeader());
  };
  return { all, leading, overlaps, oneLeads };
}

test('of several candidates one leads; when it steps down another one takes over', options, async t => {
  const { all, leading, overlaps, oneLeads } = candidates(t, `election ${process.pid} steps down`, ['a', 'b', 'c']);
  for (let left = 3; left > 0; left--) {
    await until(oneLeads, 'nobody leads');
    const leaders = all.filter(each => each.isLeader());
    assert.deepEqual(
      leaders.map(({ name }) => name),
      leading,
    );
    await leaders[0]?.stepDown();
  }
  assert.deepEqual(leading, []);
  assert.deepEqual(
    overlaps.map(names => names.length),
    [1, 1, 1],
  );
});

test('a leader that loses its connection stops leading, and another one takes over', options, async t => {
  const lock = `election ${process.pid} lost`;
  const { all, overlaps: terms, oneLeads } = candidates(t, lock, ['a', 'b']);
  await until(oneLeads, 'nobody leads');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const begun = all.map(each => each.isLeader());
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)`,
    [lock],
  );
  await client.end();
  assert.equal(begun.filter(Boolean).length, 1);
  await until(() => terms.length === 2 && oneLeads(), 'nobody leads again');
  assert.equal(all.filter(each => each.isLeader()).length, 1);
});
