import { flag, limit } from '../../http/params.ts';

/** The parameters with which a list of transactions shows their events (docs/spec/transactions.md#events-in-lists). */
export const EVENTS_IN_LISTS = {
  include_events: flag('Whether to show the events of each transaction.'),
  event_limit: limit(100, 20, 'default', 'With `include_events`: how many events of each transaction, the first ones.'),
};
