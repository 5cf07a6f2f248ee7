import type { PoxEvent } from '../../../base/codec/index.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readStoredPoxEvent, type Stored } from '../../../index/pox/stored.ts';
import {
  DELEGATIONS_TO_POOL,
  delegationList,
  EVENTS_OF_CONTRACT,
  EVENTS_OF_STACKER,
  type POX_EVENTS,
  stackerList,
} from '../../../index/pox/tables.ts';
import type { ListKind } from '../../../ingest/indexer/tables.ts';
import type { Check, Context, Finding } from '../check.ts';
import { compareLengths, lengthKey } from '../compare-lengths.ts';
import { pagedRows } from '../pages.ts';
import { type SpillingMap, withSpillingMap } from '../spilling-map.ts';

const RECOUNTED = [EVENTS_OF_CONTRACT, EVENTS_OF_STACKER, DELEGATIONS_TO_POOL];

export const poxEventsCheck: Check = {
  name: 'stacking operations',
  proves:
    'the operations of each PoX contract and of each stacker, and the delegations to each pool, are as many as in the prints',
  recounts: RECOUNTED,
  run: context => withSpillingMap(counts => compare(counts, context)),
};

async function* compare(counts: SpillingMap, { index }: Context): AsyncIterable<Finding> {
  for await (const { contract, event } of pagedRows<RowOf<typeof POX_EVENTS, 'seq' | 'contract' | 'event'>>(index, {
    sql: 'SELECT seq, contract, event FROM pox_events',
    key: ['seq'],
  })) {
    if (event === null) continue;
    for (const [kind, name] of listsOf(contract, readStoredPoxEvent(event))) await counts.add(lengthKey(kind, name), 1);
  }
  yield* compareLengths(counts, RECOUNTED, index);
}

function* listsOf(contract: string, event: Stored<PoxEvent>): Iterable<readonly [ListKind, string]> {
  yield [EVENTS_OF_CONTRACT, contract];
  yield [EVENTS_OF_STACKER, stackerList(contract, event.stacker)];
  if (event.name !== 'delegate-stx' && event.name !== 'revoke-delegate-stx') return;
  const { delegateTo } = event.data as { readonly delegateTo?: string };
  if (delegateTo !== undefined) yield [DELEGATIONS_TO_POOL, delegationList(contract, delegateTo)];
}
