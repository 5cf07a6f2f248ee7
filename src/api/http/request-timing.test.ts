import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { PATIENCE_MS } from '../../../test/support/until.ts';
import type { Database } from '../../base/store/database.ts';
import { type Location, openDatabase } from '../../base/store/open.ts';
import { RequestTiming, type RequestTimingOptions } from './request-timing.ts';
import { type Api, createServer } from './server.ts';

interface SlowRequest {
  readonly msg: string;
  readonly operationId?: string;
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly ms: number;
  readonly waitMs: number;
  readonly statements: readonly {
    readonly sql: string;
    readonly calls: number;
    readonly rows: number;
    readonly ms: number;
    readonly failed?: boolean;
  }[];
}

/** Starts a server over an empty database. Returns it with its log and the routes that the statement histogram got. */
function open(t: TestContext, location: Location, options: Partial<RequestTimingOptions>) {
  const logged: SlowRequest[] = [];
  const logger = pino({ level: 'warn' }, { write: line => void logged.push(JSON.parse(line)) });
  const told: string[] = [];
  const timing = new RequestTiming({
    logSlowMs: 0,
    serverTiming: false,
    onStatement: (route, seconds) => {
      assert.ok(seconds >= 0);
      told.push(route);
    },
    ...options,
  });
  const db = openDatabase(location, { poolSize: 2, observer: timing });
  const limits = { maxWait: PATIENCE_MS };
  const api = createServer({ version: '0', tip: { current: () => undefined }, logger, timing, limits });
  t.after(() => api.close());
  t.after(() => db.close());
  addRoutes(api, db);
  return { api, logged, told };
}

const TWO_ROWS = 'SELECT 1 AS one UNION ALL SELECT 2';
/** On SQLite, some 100 ms. */
const LONG =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i) AS i FROM n';

function addRoutes(api: Api, db: Database): void {
  api.get('/rows/:name', { schema: { operationId: 'getRows' } }, () =>
    db.read(async queries => {
      await Promise.all([queries.all(TWO_ROWS), queries.all(TWO_ROWS), queries.get('SELECT 3 AS three')]);
      return '{}';
    }),
  );
  api.get('/lists', () =>
    db.read(async queries => {
      await queries.all('SELECT 1 AS one\n WHERE 1 IN (?,?)', [1, 2]);
      await queries.all('SELECT 1 AS one WHERE 1 IN (?, ?,?)', [4, 2, 3]);
      return '{}';
    }),
  );
  api.get('/wrong', () => db.read(queries => queries.all('SELECT * FROM nothing')));
  api.get('/long', () =>
    db.read(async queries => {
      await Promise.all([queries.all('SELECT 3 AS three'), queries.all(LONG)]);
      return '{}';
    }),
  );
  // A request after it in the same turn of the event loop waits for a later turn.
  api.get('/busy', async () => {
    for (const since = performance.now(); performance.now() - since < 40; );
    return '{}';
  });
}

onSqliteAtLeast((engine, openFresh) => {
  test(`a slow request is logged with its route, its parameters, and rows and time of each statement (${engine})`, async t => {
    const { location } = await openFresh(t);
    const { api, logged } = open(t, location, {});
    await api.inject('/rows/x?limit=7');
    const [line, ...more] = logged;
    assert.ok(line);
    assert.deepEqual(more, []);
    assert.deepEqual(
      {
        msg: line.msg,
        operationId: line.operationId,
        route: line.route,
        parameters: line.parameters,
        status: line.status,
      },
      {
        msg: 'slow request',
        operationId: 'getRows',
        route: '/rows/:name',
        parameters: { name: 'x', limit: '7' },
        status: 200,
      },
    );
    const costs = line.statements.map(({ sql, calls, rows }) => ({ sql, calls, rows }));
    assert.deepEqual(
      costs.toSorted((one, other) => other.calls - one.calls),
      [
        { sql: TWO_ROWS, calls: 2, rows: 4 },
        { sql: 'SELECT 3 AS three', calls: 1, rows: 1 },
      ],
    );
    for (const { ms } of line.statements) assert.ok(ms >= 0);
    assert.ok(line.waitMs >= 0);
  });

  test(`statements that differ only in how many parameters they have are put together (${engine})`, async t => {
    const { location } = await openFresh(t);
    const { api, logged } = open(t, location, {});
    await api.inject('/lists');
    const costs = logged[0]?.statements.map(({ sql, calls, rows }) => ({ sql, calls, rows }));
    assert.deepEqual(costs, [{ sql: 'SELECT 1 AS one WHERE 1 IN (?, ...)', calls: 2, rows: 1 }]);
  });

  test(`a statement that fails is logged as failed (${engine})`, async t => {
    const { location } = await openFresh(t);
    const { api, logged } = open(t, location, {});
    await api.inject('/wrong');
    const [statement] = logged.find(({ msg }) => msg === 'slow request')?.statements ?? [];
    assert.deepEqual(
      { sql: statement?.sql, rows: statement?.rows, failed: statement?.failed },
      { sql: 'SELECT * FROM nothing', rows: 0, failed: true },
    );
  });

  test(`requests in progress at once do not get each other's statements (${engine})`, async t => {
    const { location } = await openFresh(t);
    const { api, logged, told } = open(t, location, {});
    await Promise.all(Array.from({ length: 20 }, (_, i) => api.inject(i % 2 === 0 ? '/busy' : `/rows/${i}`)));
    assert.equal(logged.length, 20);
    for (const { route, statements } of logged) assert.equal(statements.length, route === '/busy' ? 0 : 2);
    assert.deepEqual(told, Array(30).fill('/rows/:name'));
  });

  test(`Server-Timing has the number of statements and their rows, and is only sent when asked for (${engine})`, async t => {
    const { location } = await openFresh(t);
    const on = open(t, location, { serverTiming: true });
    const header = String((await on.api.inject('/rows/x')).headers['server-timing']);
    assert.match(header, /^total;dur=[\d.]+, db;dur=[\d.]+;desc="3 statements, 5 rows", wait;dur=[\d.]+;desc=".+"$/);
    const off = open(t, location, { serverTiming: false });
    assert.equal((await off.api.inject('/rows/x')).headers['server-timing'], undefined);
  });

  test(`requests that are not slow are not logged (${engine})`, async t => {
    const { location } = await openFresh(t);
    for (const logSlowMs of [3_600_000, undefined]) {
      const { api, logged, told } = open(t, location, { logSlowMs });
      await api.inject('/rows/x');
      assert.deepEqual(logged, []);
      assert.equal(told.length, 3);
    }
  });
});

onSqliteAtLeast((engine, openFresh) => {
  if (engine !== 'sqlite') return;

  test('on SQLite a statement is not charged for those that are sent with it', async t => {
    const { location } = await openFresh(t);
    const { api, logged } = open(t, location, {});
    await api.inject('/long');
    const [long, short] = logged[0]?.statements ?? [];
    assert.equal(long?.sql, LONG);
    assert.ok((short?.ms ?? 0) * 3 < (long?.ms ?? 0), JSON.stringify(logged[0]?.statements));
  });
});
