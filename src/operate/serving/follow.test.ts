import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { sampleEvents } from '../../../test/crash/round.ts';
import { onEveryEngine, openFreshOf } from '../../../test/support/engines.ts';
import { fillMessages, fillObserverTable, withSchemaOf } from '../../../test/support/observer-table.ts';
import { openPlace } from '../../../test/support/places.ts';
import { TESTNET } from '../../../test/support/test-index.ts';
import { until } from '../../../test/support/until.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { followTable } from './follow.ts';

const LIMITS = { maxEventBytes: 1_000_000, maxEventNesting: 512 };
const EVENTS = sampleEvents().slice(0, 90);

onEveryEngine((engine, openFresh) => {
  if (engine === 'sqlite') return; // other software keeps events in PostgreSQL

  /** A journal, and following into it. */
  async function target(t: TestContext) {
    const { database: journalDb } = await openFreshOf.sqlite(t);
    await Journal.create(journalDb);
    const journal = new Journal(journalDb);
    const log: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) });
    /** Polls until a condition holds, then stops. */
    const follow = async (url: string, isDone: (journaled: number, lag: number) => boolean, chainId = TESTNET) => {
      const failures: unknown[] = [];
      const following = followTable(
        { url, chainId, ...LIMITS },
        { journal, journalDb, logger, store: write => write(), onFailure: error => failures.push(error), pollMs: 20 },
      );
      const done = async () => {
        const { isUp, lag } = following.figures();
        return failures.length > 0 || (isUp && isDone(await journal.length(), lag));
      };
      await until(done, 'the table was not journaled').finally(() => following.stop());
      if (failures.length > 0) throw failures[0];
    };
    const stored = async () => {
      const paths: string[] = [];
      for await (const { path, body } of journal.entries())
        paths.push(path + JSON.stringify(sorted(JSON.parse(Buffer.from(body).toString()))));
      return paths;
    };
    return { journal, journalDb, log, follow, stored };
  }

  const textOf = ({ path, body }: (typeof EVENTS)[number]) =>
    path + JSON.stringify(sorted(JSON.parse(Buffer.from(body).toString())));

  test('rows of the publisher are journaled in order as they come, and a new start continues behind the last one', async t => {
    const { database: url = '' } = await openPlace(openFresh, t);
    const { journalDb, follow, stored, log } = await target(t);
    await fillMessages(url, EVENTS.slice(0, 40));
    await follow(url, journaled => journaled === 40);
    assert.deepEqual(await stored(), EVENTS.slice(0, 40).map(textOf));
    const noted = () =>
      journalDb.read(queries => queries.get<{ source: string; id: number }>('SELECT source, id FROM followed'));
    assert.equal((await noted())?.id, 40);
    const { password } = new URL(url);
    assert.ok(password === '' || !(await noted())?.source.includes(password), 'the password is not stored');

    await fillMessages(url, EVENTS.slice(39, 60)); // 39 again: a repeat
    log.length = 0;
    await follow(url, (journaled, lag) => journaled === 60 && lag === 0);
    assert.deepEqual(await stored(), EVENTS.slice(0, 60).map(textOf));
    assert.ok(
      log.some(line => line.includes('"position":40')),
      'it starts behind the noted row',
    );

    // As a kill after the rows were stored and before their position was.
    await journalDb.write(tx => tx.run('UPDATE followed SET id = 40', []).then(() => undefined));
    await follow(url, (_, lag) => lag === 0);
    assert.equal((await stored()).length, 60, 'nothing is stored twice');
  });

  test('a missing id is waited for, as its transaction may be committed later', async t => {
    const { database: url = '' } = await openPlace(openFresh, t);
    const { follow, stored } = await target(t);
    await fillObserverTable(url, EVENTS.slice(0, 10));
    const open = new pg.Client({ connectionString: url });
    await open.connect();
    t.after(() => open.end());
    const schema = new URL(url).searchParams.get('schema') ?? '';
    await open.query(`SET search_path TO ${pg.escapeIdentifier(schema)}; BEGIN`);
    const late = EVENTS[10] as (typeof EVENTS)[number];
    await open.query(
      'INSERT INTO event_observer_requests (receive_timestamp, event_path, payload) VALUES (to_timestamp($1::numeric / 1000000), $2, $3::jsonb)',
      [late.receivedAt, late.path, Buffer.from(late.body).toString()],
    );
    await fillObserverTable(url, EVENTS.slice(11, 20));
    await follow(url, (journaled, lag) => journaled === 10 && lag === 10);
    await open.query('COMMIT');
    await follow(url, journaled => journaled === 20);
    assert.deepEqual(await stored(), EVENTS.slice(0, 20).map(textOf));
    // Ids of transactions that were rolled back never come.
    await withSchemaOf(url, async client => {
      await client.query(`SELECT nextval('event_observer_requests_id_seq'), nextval('event_observer_requests_id_seq')`);
    });
    await fillObserverTable(url, EVENTS.slice(20, 25));
    await follow(url, journaled => journaled === 25);
  });

  test('a table that begins anew is read from its start, and rows that are no events are left out', async t => {
    const { database: url = '' } = await openPlace(openFresh, t);
    const { follow, stored, log } = await target(t);
    await fillMessages(url, EVENTS.slice(0, 20));
    await follow(url, journaled => journaled === 20);
    await withSchemaOf(url, async client => {
      await client.query('TRUNCATE messages RESTART IDENTITY');
      await client.query(`INSERT INTO messages (path, content) VALUES ('/new_block', '{}'), ('/new_block', '[]')`);
    });
    await fillMessages(url, EVENTS.slice(20, 50));
    await follow(url, journaled => journaled === 50);
    assert.deepEqual(await stored(), EVENTS.slice(0, 50).map(textOf));
    assert.equal(log.filter(line => line.includes('followed row left out')).length, 2);
    assert.ok(log.some(line => line.includes('another row at the noted position')));
  });

  test('a database without a table of events, and events of another network, end it with what to do', async t => {
    const { database: url = '' } = await openPlace(openFresh, t);
    const { follow, journal } = await target(t);
    await assert.rejects(
      follow(url, () => false),
      {
        name: 'NoObserverTable',
        message: 'there is no table event_observer_requests or messages that can be read',
      },
    );
    await fillMessages(url, EVENTS);
    await assert.rejects(
      follow(url, () => false, 1),
      { name: 'WrongNetwork', message: /^messages:\d+: the transaction .* is of chain 0x80000000, not of 0x00000001/ },
    );
    assert.equal(await journal.length(), 0);
  });

  test('a database that goes away is waited for, and its rows come afterwards', async t => {
    const { database: url = '' } = await openPlace(openFresh, t);
    const { follow, stored, log } = await target(t);
    await fillMessages(url, EVENTS.slice(0, 20));
    const proxy = await cutProxy(t, url);
    let cuts = 0;
    await follow(proxy.url, journaled => {
      if (journaled === 20 && cuts === 0) {
        cuts++;
        proxy.cut();
        void fillMessages(url, EVENTS.slice(20, 40));
      }
      return journaled === 40;
    });
    assert.deepEqual(await stored(), EVENTS.slice(0, 40).map(textOf));
    assert.ok(log.some(line => line.includes('the followed database is not available')));
  });
});

/** A way to the server that breaks all connections when it is cut, and refuses the next one. */
async function cutProxy(t: TestContext, database: string) {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  let refuse = false;
  const server = createServer(socket => {
    socket.on('error', () => {});
    if (refuse) {
      refuse = false;
      return void socket.destroy();
    }
    const there = connect(Number(port || 5432), hostname);
    there.on('error', () => {});
    sockets.add(socket).add(there);
    socket.pipe(there).pipe(socket);
    // A connection that is reset has no end, which a pipe would hand on.
    socket.once('close', () => there.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' ? address?.port : 0);
  return {
    url: url.href,
    cut: () => {
      refuse = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** jsonb has its own order of keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, sorted(each)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
