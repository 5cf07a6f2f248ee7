import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import pg from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { copyInto, copyParts } from './postgres-copy.ts';

const server = sharedPostgres();
let url: string;
before(async () => {
  if ('url' in server) url = await server.url();
});
const options = { skip: 'missing' in server ? server.missing : false };

async function connect(pipeline: boolean): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, pipeline });
  await client.connect();
  return client;
}

for (const pipeline of [false, true]) {
  const how = pipeline ? 'in a pipeline' : 'alone';

  test(`a COPY that the server refuses fails alone, and its data with it (${how})`, options, async t => {
    const client = await connect(pipeline);
    t.after(() => client.end());
    await client.query('CREATE TEMPORARY TABLE copied (id bigint PRIMARY KEY, name text)');
    const [data] = copyParts([
      [1, 'one'],
      [2, null],
    ]);
    assert.ok(data);
    const into = (table: string) => copyInto(client, `COPY ${table} FROM STDIN (FORMAT binary)`, data);
    await assert.rejects(into('nowhere'), { code: '42P01' });
    await into('copied');
    await assert.rejects(into('copied'), { code: '23505' });
    const { rows } = await client.query('SELECT id, name FROM copied ORDER BY id');
    assert.deepEqual(rows, [
      { id: '1', name: 'one' },
      { id: '2', name: null },
    ]);
  });
}

test('in a pipeline a COPY takes its turn between the statements around it', options, async t => {
  const client = await connect(true);
  t.after(() => client.end());
  const count = () => client.query<{ n: string }>({ name: 'count', text: 'SELECT count(*) AS n FROM copied' });
  const [data] = copyParts([[1], [2], [3]]);
  assert.ok(data);
  const [, before, , after] = await Promise.all([
    client.query('CREATE TEMPORARY TABLE copied (id bigint)'),
    count(),
    copyInto(client, 'COPY copied FROM STDIN (FORMAT binary)', data),
    count(),
  ]);
  assert.deepEqual([before.rows, after.rows], [[{ n: '0' }], [{ n: '3' }]]);
});

test('rows beyond some megabytes become several COPYs, and none is lost', () => {
  const row = ['x'.repeat(1_000_000)];
  const parts = [...copyParts(Array.from({ length: 10 }, () => row))];
  assert.equal(parts.length, 2);
  const overhead = 19 + 2; // signature and end
  const rows = parts.reduce((sum, part) => sum + (part.length - overhead) / (2 + 4 + 1_000_000), 0);
  assert.equal(rows, 10);
  assert.deepEqual([...copyParts([])], []);
});
