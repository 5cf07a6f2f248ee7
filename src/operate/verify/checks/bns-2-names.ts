import type { RowOf } from '../../../base/store/table.ts';
import { bns2Facts } from '../../../index/names/bns-2.ts';
import type { BNS2_NAMES } from '../../../index/names/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';
import { recordedTransactions } from './recorded-transactions.ts';

export const bns2NamesCheck: Check = {
  name: 'names of version 2',
  proves: 'the name of every id is that of its first print, and its holder the one that its last NFT event names',
  run: context => withSpillingMap(names => withSpillingMap(owners => compare(names, owners, context))),
};

async function* compare(names: SpillingMap, owners: SpillingMap, { index, network }: Context): AsyncIterable<Finding> {
  for await (const { events } of recordedTransactions(index))
    for (const fact of bns2Facts({ events }, network)) {
      if (fact.kind === 'holder') await owners.set(fact.id, fact.owner ?? '');
      else if (fact.kind === 'name' && (await names.get(fact.id)) === undefined) await names.set(fact.id, fact.name);
    }
  for await (const { id, name, owner } of pagedRows<RowOf<typeof BNS2_NAMES>>(index, {
    sql: 'SELECT id, name, owner FROM names_v2',
    key: ['id'],
  })) {
    const [expectedName, expectedOwner] = [await names.take(id), await owners.take(id)];
    if ((name ?? undefined) !== expectedName || (owner ?? '') !== (expectedOwner ?? ''))
      yield wrong(`names_v2: ${id} is ${name} of ${owner}, its events say ${expectedName} of ${expectedOwner}`);
  }
  for (const map of [names, owners]) for await (const [id] of map.entries()) yield wrong(`names_v2: ${id} is missing`);
}
