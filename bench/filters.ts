/**
 * Measures every combination of filters, times, orders and offsets of getTransactionListV1: `npm run bench -- filters --data SMALL,LARGE`, two directories with
 * indexes of similar chains. The values of filters come from long, middle and short lists of each index, and values of the same rank are compared. Pages that
 * take more than a few milliseconds in the large index are measured again in both. No URL is requested twice.
 */
import { parseArgs } from 'node:util';
import type { Queries } from '../src/base/store/database.ts';
import { BUSY } from '../src/index/transactions/combined-lists.ts';
import {
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
} from '../src/index/transactions/tables.ts';
import type { ListKind } from '../src/ingest/indexer/tables.ts';
import { directoryPlace } from './place.ts';
import { saveTables, TablePrinter } from './report.ts';
import { type Served, servePlace } from './served.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '' },
    /** Milliseconds from which on a page is requested again. */
    from: { type: 'string', default: '4' },
    /** Only combinations whose text has this. */
    only: { type: 'string', default: '' },
    /** Most filters at once. */
    filters: { type: 'string', default: '7' },
    json: { type: 'string' },
  },
});
const from = Number(values.from);

/** Milliseconds of CPU. A page may take `times` as long as in the small index, or as long as any page may. */
const GOALS = { most: 50, times: 1.5, small: 5 };
/** Requests of a page that is measured: the fastest counts. */
const AGAIN = 5;
/** The requests to each index before the measurement. */
const WARM = 300;
const LIMIT = 20;

const LISTS = {
  from_address: TXS_BY_SENDER,
  to_address: TXS_BY_RECIPIENT,
  contract_id: TXS_BY_CONTRACT,
  function_name: TXS_BY_FUNCTION,
  nonce: TXS_BY_NONCE,
} as const satisfies Readonly<Record<string, ListKind>>;
const TYPES = [
  'contract_call',
  'token_transfer',
  'token_transfer,contract_call',
  'coinbase,smart_contract,tenure_change',
];
const SORTS = ['block_height', 'burn_block_time', 'fee'];
const ORDERS = ['desc', 'asc'];
const DEPTHS = ['first', 'middle', 'last'] as const;

/** A filter, by its parameter, and which of its values. */
type Choice = Readonly<Record<string, string>>;

/** A page: combination, order and depth. */
interface Page {
  readonly choice: Choice;
  readonly sort: string;
  readonly order: string;
  readonly depth: (typeof DEPTHS)[number];
}

/** An index that is served, and its values of the choices. */
interface Side extends Served {
  readonly valueOf: (parameter: string, which: string) => string | undefined;
}

/** The length of the list of a choice, by index. */
const totals = new Map<string, number>();
let asked = 0;

const [smallData, largeData] = values.data.split(',');
if (!smallData || !largeData) throw new Error('filters needs --data SMALL,LARGE');
const sides = [await sideOf(smallData), await sideOf(largeData)] as const;
await measureAll(...sides);
for (const { running } of sides) await running.close();
process.exit(0);

async function sideOf(data: string): Promise<Side> {
  const place = directoryPlace(data);
  const { indexDb, close } = await place.open();
  const found = await indexDb.read(valuesIn);
  await close();
  return { ...(await servePlace(place)), valueOf: (parameter, which) => found[parameter]?.[which] };
}

/** For each parameter the values by what they are called. */
async function valuesIn(queries: Queries): Promise<Readonly<Record<string, Choice>>> {
  const found: Record<string, Choice> = { type: Object.fromEntries(TYPES.map(type => [type, type])) };
  for (const [parameter, { code }] of Object.entries(LISTS)) {
    const nameOf = async (order: 'ASC' | 'DESC', most: number) =>
      (
        await queries.get<{ name: string }>(
          `SELECT name FROM lists WHERE kind = ? AND length < ? ORDER BY length ${order}, name LIMIT 1`,
          [code, most],
        )
      )?.name ?? '';
    found[parameter] = {
      busy: await nameOf('DESC', Number.MAX_SAFE_INTEGER),
      middling: await nameOf('DESC', BUSY),
      quiet: await nameOf('ASC', Number.MAX_SAFE_INTEGER),
    };
  }
  const at = async (share: number) =>
    (
      await queries.get<{ burn_time: number }>(
        'SELECT burn_time FROM txs WHERE seq >= (SELECT max(seq) FROM txs) * CAST(? AS bigint) / 100 ORDER BY seq LIMIT 1',
        [share],
      )
    )?.burn_time ?? 0;
  const between = async (first: number, last: number) => `start_time=${await at(first)}&end_time=${await at(last)}`;
  return {
    ...found,
    time: {
      since: `start_time=${await at(30)}`,
      until: `end_time=${await at(40)}`,
      'a tenth': await between(50, 60),
    },
  };
}

function* choices(): Generator<Choice> {
  const options: readonly (readonly [string, readonly string[]])[] = [
    ['type', TYPES],
    ...Object.keys(LISTS).map(parameter => [parameter, ['busy', 'middling', 'quiet']] as const),
    ['time', ['since', 'until', 'a tenth']],
  ];
  function* rest(i: number): Generator<Choice> {
    const option = options[i];
    if (option === undefined) return yield {};
    const [parameter, which] = option;
    for (const other of rest(i + 1)) {
      yield other;
      for (const value of which) yield { [parameter]: value, ...other };
    }
  }
  // A transaction with a recipient calls no contract.
  for (const choice of rest(0))
    if (!('to_address' in choice && ('contract_id' in choice || 'function_name' in choice))) yield choice;
}

async function measureAll(small: Side, large: Side): Promise<void> {
  const printer = new TablePrinter(
    `Combinations of filters (${small.transactions} and ${large.transactions} transactions)`,
    [
      { key: 'page', title: 'page' },
      { key: 'small', title: 'small ms', digits: 1 },
      { key: 'large', title: 'large ms', digits: 1 },
      { key: 'times', title: 'times', digits: 2 },
      { key: 'failures', title: '' },
    ],
  );
  let pages = 0;
  let refused = 0;
  let above = 0;
  let most = 0;
  const screened: number[] = [];
  // The first requests mostly measure compilation, so these warm up.
  const [everything] = choices();
  for (let i = 0; i < WARM; i++)
    for (const side of [small, large])
      await request(side, {
        choice: everything ?? {},
        sort: SORTS[i % SORTS.length] ?? '',
        order: 'desc',
        depth: 'first',
      });
  for (const choice of choices()) {
    if (!textOf(choice).includes(values.only) || Object.keys(choice).length > Number(values.filters)) continue;
    for (const sort of SORTS)
      for (const order of ORDERS)
        for (const depth of DEPTHS) {
          const page = { choice, sort, order, depth };
          const first = await request(large, page);
          if (first === undefined) continue;
          pages++;
          screened.push(first.ms);
          if (first.status === 200 && first.ms < from) continue;
          const [now, before] = [await fastest(large, page), await fastest(small, page)];
          if (now === undefined) continue;
          most = Math.max(most, now.ms);
          const allowed = Math.min(GOALS.most, Math.max(GOALS.small, GOALS.times * (before?.ms ?? 0)));
          if (now.status !== 200) refused++;
          else if (now.ms <= allowed) continue;
          else above++;
          printer.add({
            page: `${textOf(choice)} ${sort} ${order} ${depth}`,
            ...{ small: before?.ms ?? null, large: now.ms, times: now.ms / (before?.ms ?? Number.NaN) },
            failures: now.status === 200 ? null : `!! ${now.status}`,
          });
        }
  }
  screened.sort((a, b) => a - b);
  printer.note(
    `${pages} pages, of which ${refused} are no 200 and ${above} above their goal; the others are not shown. Median ${screened[Math.floor(pages / 2)]?.toFixed(2)} ms with its client, the dearest of those requested again ${most.toFixed(1)} ms.`,
  );
  printer.goal('CPU of a page of several filters, ms: the greatest', most, GOALS.most);
  saveTables(values.json, [printer.table]);
}

/** Undefined where a list is too short for the page, or an index has no such list. */
async function request(side: Side, { choice, sort, order, depth }: Page) {
  const filters = Object.entries(choice).map(([parameter, which]) => {
    const value = side.valueOf(parameter, which);
    if (parameter === 'time') return value;
    return value && `${parameter}=${encodeURIComponent(value)}`;
  });
  if (!filters.every(filter => filter)) return undefined;
  const key = `${side.place.args.join(' ')} ${filters.join('&')}`;
  const get = async (offset: number) => {
    const query = [...filters, `sort_by=${sort}`, `order=${order}`, `limit=${LIMIT}`, `offset=${offset}`];
    const url = `http://127.0.0.1:${side.running.apiPort}/extended/v1/tx?${query.join('&')}&nocache=${asked++}`;
    const { user, system } = process.cpuUsage();
    const response = await fetch(url);
    const body = (await response.json()) as { readonly total: number };
    const used = process.cpuUsage({ user, system });
    return { status: response.status, ms: (used.user + used.system) / 1000, total: body.total };
  };
  if (depth === 'first') {
    const page = await get(0);
    if (page.status === 200) totals.set(key, page.total);
    return page;
  }
  const total = totals.get(key) ?? 0;
  if (total < 4 * LIMIT) return undefined;
  return get(depth === 'middle' ? Math.floor(total / 2) : total - LIMIT);
}

async function fastest(side: Side, page: Page) {
  let best: Awaited<ReturnType<typeof request>>;
  for (let i = 0; i < AGAIN; i++) {
    const next = await request(side, page);
    if (next && (best === undefined || next.ms < best.ms)) best = next;
  }
  return best;
}

function textOf(choice: Choice): string {
  const texts = Object.entries(choice).map(([parameter, which]) => `${parameter}=${which}`);
  return texts.join(' ') || 'all';
}
