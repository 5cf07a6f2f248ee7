import type { RowOf } from '../../../base/store/table.ts';
import type { BNS2_NAMES, LISTED_NAMES, NAMES } from '../../../index/names/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';

export const listedNamesCheck: Check = {
  name: 'listed names',
  proves: 'the list of names has those of both versions, each in its namespace, and whether it has a holder',
  run: context => withSpillingMap(v1 => withSpillingMap(v2 => compare(v1, v2, context))),
};

async function* compare(v1: SpillingMap, v2: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const { name, status } of pagedRows<RowOf<typeof NAMES, 'token' | 'name' | 'status'>>(index, {
    sql: 'SELECT token, name, status FROM names',
    key: ['token'],
  }))
    if (status !== null) await v1.set(name, status === 'name-revoke' ? '0' : '1');
  for await (const { name, owner } of pagedRows<RowOf<typeof BNS2_NAMES, 'id' | 'name' | 'owner'>>(index, {
    sql: 'SELECT id, name, owner FROM names_v2',
    key: ['id'],
  }))
    if (name !== null) await v2.set(name, String(Number((await v2.get(name)) ?? 0) + (owner === null ? 0 : 1)));
  for await (const row of pagedRows<RowOf<typeof LISTED_NAMES>>(index, {
    sql: 'SELECT namespace, name, v1, v2 FROM listed_names',
    key: ['namespace', 'name'],
  })) {
    const { namespace, name } = row;
    const [inBns1, inBns2] = [await v1.take(name), await v2.take(name)];
    const isKnown = inBns1 !== undefined || inBns2 !== undefined;
    if (!isKnown || String(row.v1) !== (inBns1 ?? '0') || (row.v2 === null ? undefined : String(row.v2)) !== inBns2)
      yield wrong(
        `listed_names: ${name} has ${row.v1} and ${row.v2}, the names say ${inBns1 ?? 0} and ${inBns2 ?? null}`,
      );
    if (!name.endsWith(`.${namespace}`)) yield wrong(`listed_names: ${name} is in the namespace ${namespace}`);
  }
  for (const map of [v1, v2]) for await (const [name] of map.entries()) yield wrong(`listed_names: ${name} is missing`);
}
