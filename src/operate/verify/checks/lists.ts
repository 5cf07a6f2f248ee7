import type { Table } from '../../../base/store/database.ts';
import { INDEX_SCHEMA } from '../../../index/index-schema.ts';
import { LIST_COUNTERS, LISTS } from '../../../ingest/indexer/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { tableRows } from '../pages.ts';
import type { SpillingMap } from '../spilling-map.ts';

export const listsCheck: Check = {
  name: 'lists',
  proves:
    'the entries of every list are numbered 0, 1, 2 ... up to its length in the directory, and belong to known lists',

  async *run(context) {
    const kinds = new Map(INDEX_SCHEMA.lists.map(kind => [kind.code, kind]));
    for await (const { kind, name } of directory(context))
      if (!kinds.has(kind)) yield wrong(`lists: "${name}" is of the unknown kind ${kind}`);
      else if (!kinds.get(kind)?.named && name !== '') yield wrong(`lists: the one of kind ${kind} is named "${name}"`);
    for (const table of new Set(INDEX_SCHEMA.lists.map(kind => kind.entries))) {
      const named = INDEX_SCHEMA.lists.some(kind => kind.entries === table && kind.named);
      const lists = context.newMap();
      yield* checkTable(table, named, lists, context);
      await lists.close(); // one at a time
    }
  },
};

const directory = ({ index }: Context) => tableRows(index, LISTS, ['id', 'length']);

async function* checkTable(table: Table, named: boolean, lists: SpillingMap, context: Context): AsyncIterable<Finding> {
  const codes = new Set(INDEX_SCHEMA.lists.filter(kind => kind.entries === table).map(kind => kind.code));
  let count = 0;
  for await (const { kind, name, id, length } of directory(context)) {
    if (!codes.has(kind)) continue;
    count++;
    if ((await lists.get(String(id))) !== undefined) yield wrong(`${table.name}: two lists have the identifier ${id}`);
    await lists.set(String(id), JSON.stringify([length, name]));
  }
  yield* checkCounter(table, count, context);
  for await (const found of named ? lengths(table, context) : wholeTable(table, context)) {
    const id = named ? found.list : 0;
    const known = await lists.take(String(id));
    if (known === undefined) {
      yield wrong(`${table.name}: ${found.count} entries of list ${id}, which is not in the directory`);
      continue;
    }
    const [length, name] = JSON.parse(known) as [number, string];
    if (found.count !== length || found.first !== 0 || found.last !== length - 1)
      yield wrong(
        `${table.name}: list ${id} "${name}" has ${found.count} entries, ${found.first} to ${found.last}; its length is ${length}`,
      );
  }
  for await (const [id, known] of lists.entries()) {
    const [length, name] = JSON.parse(known) as [number, string];
    yield wrong(`${table.name}: list ${id} "${name}" has no entries; its length is ${length}`);
  }
}

/** Identifiers are assigned in order, and released in order. */
async function* checkCounter(table: Table, lists: number, { index }: Context): AsyncIterable<Finding> {
  const sql = `SELECT count FROM ${LIST_COUNTERS.name} WHERE entries = ?`;
  const row = await index.get<{ count: number }>(sql, [table.name]);
  if ((row?.count ?? 0) !== lists)
    yield wrong(`list_counters: ${table.name} has given out ${row?.count ?? 0} identifiers; there are ${lists} lists`);
}

interface Found {
  readonly list: number;
  readonly count: number;
  readonly first: number;
  readonly last: number;
}

const LISTS_AT_ONCE = 500;

/** The entries of each list, by identifier; as keys are unique, count, first and last reveal a missing one. */
async function* lengths(table: Table, { index }: Context): AsyncIterable<Found> {
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = await index.all<{ list: number; count: number; first: number; last: number }>(
      `SELECT list, count(*) AS count, min(seq) AS first, max(seq) AS last FROM ${table.name}
        WHERE list > ? GROUP BY list ORDER BY list LIMIT ${LISTS_AT_ONCE}`,
      [after],
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.list;
  }
}

async function* wholeTable(table: Table, { index }: Context): AsyncIterable<Found> {
  const row = await index.get<{ count: number; first: number | null; last: number | null }>(
    `SELECT count(*) AS count, min(seq) AS first, max(seq) AS last FROM ${table.name}`,
  );
  if (row && row.first !== null && row.last !== null)
    yield { list: 0, count: row.count, first: row.first, last: row.last };
}
