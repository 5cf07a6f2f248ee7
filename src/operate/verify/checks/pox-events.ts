import type { RowOf } from '../../../base/store/table.ts';
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
    for (const [kind, name] of listsOf(contract, JSON.parse(event))) await counts.add(lengthKey(kind, name), 1);
  }
  yield* compareLengths(counts, RECOUNTED, index);
}

/** The row of pox_events for a print with an operation. */
interface Operation {
  readonly name: string;
  readonly stacker: string;
  readonly data: { readonly delegateTo?: string };
}

function* listsOf(contract: string, { name, stacker, data }: Operation): Iterable<readonly [ListKind, string]> {
  yield [EVENTS_OF_CONTRACT, contract];
  yield [EVENTS_OF_STACKER, stackerList(contract, stacker)];
  const isDelegation = name === 'delegate-stx' || name === 'revoke-delegate-stx';
  if (isDelegation && data.delegateTo !== undefined)
    yield [DELEGATIONS_TO_POOL, delegationList(contract, data.delegateTo)];
}
