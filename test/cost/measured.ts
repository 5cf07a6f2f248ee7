import assert from 'node:assert/strict';
import pg from 'pg';
import type { Location } from '../../src/base/store/open.ts';
import { INDEX_SCHEMA } from '../../src/index/index-schema.ts';
import { METADATA_TABLES } from '../../src/metadata/tables.ts';
import type { Fresh } from '../support/engines.ts';
import { apiDocument } from '../support/operations.ts';
import { SampleMetadata } from '../support/sample-metadata.ts';
import { type ApiResponse, openTestIndex, type TestIndex } from '../support/test-index.ts';
import { until } from '../support/until.ts';
import { combinations } from './combinations.ts';
import { type Cost, costOf } from './cost.ts';
import { MAX_ROWS_SEARCHED } from './exceptions.ts';
import { GrowingChain } from './growing-chain.ts';
import { type MeteredDatabase, meteredDatabase } from './metered-database.ts';
import { UNKNOWN_HASH } from './requests/values.ts';
import { LIMIT, type Request, requestsOf } from './requests.ts';

/** Blocks of other people. */
const SMALL = 60;
const LARGE = 8 * SMALL;

/** The cost of one page. */
export interface PageCost {
  readonly path: string;
  readonly offset: number;
  /** The length of the list, if the response has it. */
  readonly total: number;
  /** Records of this page. */
  readonly records: number;
  /** Of the chain. */
  readonly blocks: number;
  readonly cost: Cost;
}

/** A request in a chain and in one eight times as long; and the last full page of its list there, where it has two. */
export interface Measured {
  readonly request: Request;
  readonly small: PageCost;
  readonly large: PageCost;
  readonly deep: PageCost | undefined;
}

/** Builds the chain and requests every path, and combinations of parameters. */
export async function measured(
  { database, location }: Fresh,
  drawing: Parameters<typeof combinations>[2],
): Promise<readonly Measured[]> {
  const db = meteredDatabase(database);
  const limits = { maxRowsSearched: MAX_ROWS_SEARCHED };
  const index = await openTestIndex(db, { limits });
  const chain = new GrowingChain();
  const metadata = new SampleMetadata(database);
  const grow = async (...parts: Parameters<TestIndex['journal']['append']>[0][]) => {
    await index.journal.append([...parts.flat(), chain.announce()]);
    await index.deliver();
    await metadata.fill();
    if (location.kind === 'postgres') await analyze(location);
  };
  await grow(chain.begin(), chain.grow(SMALL));
  const document = await apiDocument();
  const written = requestsOf(chain, document);
  const combined = combinations(
    document,
    written.map(({ path }) => path),
    drawing,
  );
  const requests = [...written, ...combined];
  const small: PageCost[] = [];
  const askAnew = () => askOnce((request, offset) => costOfPage(db, index, request, offset));
  const askEarly = askAnew();
  for (const request of requests) small.push(await askEarly(request));
  await grow(chain.grow(LARGE - SMALL));
  const results: Measured[] = [];
  const askLater = askAnew();
  for (const [i, request] of requests.entries()) {
    const large = await askLater(request);
    const before = small[i];
    assert.ok(before);
    results.push({ request, small: before, large, deep: await deepPage(askLater, request, large) });
  }
  return results;
}

type Ask = (request: Request, offset?: number) => Promise<PageCost>;

/** Requests each path once, as a body that is kept in memory costs nothing: several requests may have the same page. */
function askOnce(ask: Ask): Ask {
  const asked = new Map<string, PageCost>();
  return async (request, offset = 0) => {
    const key = `${request.path} ${request.body ?? ''}`;
    const cost = asked.get(key) ?? (await ask(request, offset));
    asked.set(key, cost);
    return { ...cost, offset };
  };
}

async function deepPage(ask: Ask, request: Request, first: PageCost) {
  const { path, pages } = request;
  if (pages === undefined) return undefined;
  const length = pages === true ? first.total : pages(first.blocks);
  const offset = (Math.floor(length / LIMIT) - 1) * LIMIT;
  if (offset <= 0) return undefined;
  const query = `${path.includes('?') ? '&' : '?'}offset=${offset}`;
  return ask({ ...request, path: path + query }, offset);
}

async function costOfPage(
  db: MeteredDatabase,
  index: TestIndex,
  { path, body: sent, isCombination }: Request,
  offset = 0,
): Promise<PageCost> {
  const { result, statements } = await db.statementsOf(() =>
    sent === undefined ? index.get(path) : index.ask({ method: 'post', url: path, body: sent }),
  );
  const { status, body } = result;
  if (!isRefusedSearch(result)) {
    if (isCombination) assert.ok(status < 500, path);
    else assert.equal(status, path.includes(UNKNOWN_HASH) ? 404 : 200, path);
  }
  const { tip } = await index.state();
  const records = Math.max(...Object.values(body).map(value => (Array.isArray(value) ? value.length : 0)));
  const cost = costOf(statements, db.engine);
  return { path, offset, total: body.total ?? 0, records, blocks: tip?.height ?? 0, cost };
}

/** More rows than a search may read: its cost is measured all the same. */
const isRefusedSearch = ({ status, body }: ApiResponse): boolean => status === 503 && body.code === 'SEARCH_TOO_LONG';

/** Statistics for the planner; and the visibility map, without which rows of an index are looked up in their table. */
async function analyze({ url, schema }: Extract<Location, { kind: 'postgres' }>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await untilNoOlderSnapshot(client);
  for (const { name } of [...INDEX_SCHEMA.tables, ...METADATA_TABLES])
    await client.query(`VACUUM (ANALYZE) "${schema}"."${name}"`);
  await client.end();
}

/** VACUUM keeps rows that a snapshot of another test may still see, and a page that holds these costs more. */
async function untilNoOlderSnapshot(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ now: string }>('SELECT pg_current_xact_id()::xid::text AS now');
  const older = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND greatest(age(backend_xmin), age(backend_xid)) > age($1::xid) LIMIT 1`;
  const isFree = async () => (await client.query(older, [rows[0]?.now])).rowCount === 0;
  await until(isFree, 'another test holds an old snapshot');
}
