import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { sharedPostgres } from '../../../test/support/postgres.ts';
import { openSignals } from './postgres-signals.ts';

const server = sharedPostgres();
let url: string;
before(async () => {
  if ('url' in server) url = await server.url();
});
const options = { skip: 'missing' in server ? server.missing : false };

/** Sends until it arrives: a listener needs a moment to connect. */
async function arrives(send: () => void, has: () => boolean): Promise<void> {
  while (!has()) {
    send();
    await delay(20);
  }
}

test('a signal reaches all others on the channel, and not the sender', options, async t => {
  const channel = `signals test ${process.pid}`;
  const heard: Record<string, string[]> = { a: [], b: [], other: [] };
  const a = openSignals(url, channel, text => heard.a?.push(text));
  const b = openSignals(url, channel, text => heard.b?.push(text));
  const other = openSignals(url, `${channel} other`, text => heard.other?.push(text));
  t.after(() => Promise.all([a, b, other].map(each => each.close())).then(() => undefined));
  await arrives(
    () => a.send('from a'),
    () => heard.b?.includes('from a') === true,
  );
  await arrives(
    () => b.send('from "b"'),
    () => heard.a?.includes('from "b"') === true,
  );
  assert.ok(!heard.a?.includes('from a'));
  assert.deepEqual(heard.other, []);
});

test('signals arrive again after the connection has broken', options, async t => {
  const channel = `signals test ${process.pid} broken`;
  const heard: string[] = [];
  const listener = openSignals(url, channel, text => heard.push(text));
  const sender = openSignals(url, channel, () => {});
  t.after(() => Promise.all([listener, sender].map(each => each.close())).then(() => undefined));
  await arrives(
    () => sender.send('before'),
    () => heard.includes('before'),
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND query LIKE $1`,
    [`%${process.pid} broken%`],
  );
  await client.end();
  await arrives(
    () => sender.send('after'),
    () => heard.includes('after'),
  );
});
