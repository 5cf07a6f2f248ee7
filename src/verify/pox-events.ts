import type { LISTS, ListKind } from '../indexer/tables.ts';
import { EVENTS_OF_CONTRACT, EVENTS_OF_STACKER, type POX_EVENTS, stackerList } from '../resources/pox/tables.ts';
import type { RowOf } from '../store/table.ts';
import { type Check, type Context, type Finding, wrong } from './check.ts';
import { rowsOf } from './pages.ts';
import { type SpillingMap, withSpillingMap } from './spilling-map.ts';

export const poxEventsCheck: Check = {
  name: 'stacking operations',
  proves: 'the operations of each PoX contract and of each stacker are as many as the prints tell',
  run: context => withSpillingMap(counts => compare(counts, context)),
};

async function* compare(counts: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  const add = async (kind: ListKind, name: string): Promise<void> => {
    const key = keyOf(kind.code, name);
    await counts.set(key, String(Number((await counts.get(key)) ?? 0) + 1));
  };
  for await (const { contract, event } of rowsOf<RowOf<typeof POX_EVENTS, 'seq' | 'contract' | 'event'>>(index, {
    select: 'seq, contract, event',
    from: 'pox_events',
    key: ['seq'],
  })) {
    if (event === null) continue;
    await add(EVENTS_OF_CONTRACT, contract);
    await add(EVENTS_OF_STACKER, stackerList(contract, (JSON.parse(event) as { readonly stacker: string }).stacker));
  }
  for await (const { kind, name, length } of rowsOf<RowOf<typeof LISTS>>(index, {
    select: 'kind, name, id, length',
    from: 'lists',
    key: ['kind', 'name'],
  })) {
    if (kind !== EVENTS_OF_CONTRACT.code && kind !== EVENTS_OF_STACKER.code) continue;
    const expected = await counts.take(keyOf(kind, name));
    if (expected !== String(length))
      yield wrong(`pox_event_lists: "${name}" has ${length} entries, the prints tell ${expected ?? 0}`);
  }
  for await (const [key] of counts.entries()) yield wrong(`pox_event_lists: the list of ${key} is missing`);
}

const keyOf = (kind: number, name: string): string => `${kind} ${name}`;
