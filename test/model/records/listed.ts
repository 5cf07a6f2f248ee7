import { numberOf } from '../route.ts';
import type { Tx, World } from '../world.ts';
import { eventRecord } from './event.ts';
import { transactionRecord } from './transaction.ts';

/**
 * A transaction in a list: with its first events, or without the arguments of its call, by the parameters of the
 * request.
 */
export function listedTransaction(world: World, tx: Tx, query: URLSearchParams): Record<string, unknown> {
  const withoutArgs = query.get('exclude_function_args') === 'true';
  const shown = query.get('include_events') === 'true' ? numberOf(query, 'event_limit', 20) || 20 : 0;
  const events = tx.events.slice(0, shown).map(event => eventRecord(tx, event));
  return { ...transactionRecord(world, tx, { withoutArgs }), events };
}
