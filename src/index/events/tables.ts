import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/** Columns of an event in a list of events. */
const EVENT_PLACES = {
  list: 'int',
  seq: 'int',
  /** Where its transaction is in txs. */
  tx: 'int',
  event_index: 'int',
} as const;

/**
 * Events that lock STX, by principal (getFilteredEventsV1). A principal for whom another one stacks is not a member of the
 * transaction.
 */
export const LOCK_EVENTS = table({
  name: 'lock_events',
  columns: EVENT_PLACES,
  key: ['list', 'seq'],
});

/** By the principal whose STX are locked. */
export const LOCK_EVENTS_OF = listKind({
  code: 12,
  chain: 'stacks',
  entries: LOCK_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Events that moved a fungible token, by token (getFtTransfersV3). */
export const FT_EVENTS = table({
  name: 'ft_events',
  columns: EVENT_PLACES,
  key: ['list', 'seq'],
});

/** By the asset identifier. */
export const FT_EVENTS_OF = listKind({
  code: 14,
  chain: 'stacks',
  entries: FT_EVENTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** Prints by topic and by principal: positions of events, as in CONTRACT_LOGS. */
export const LOG_LISTS = table({
  name: 'contract_log_lists',
  columns: EVENT_PLACES,
  key: ['list', 'seq'],
});

/** By contract and topic: see topicListName. */
export const LOGS_BY_TOPIC = listKind({
  code: 37,
  chain: 'stacks',
  entries: LOG_LISTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** By contract and principal: see principalListName. */
export const LOGS_BY_PRINCIPAL = listKind({
  code: 38,
  chain: 'stacks',
  entries: LOG_LISTS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});

/** The topics of a contract, in the order in which it first printed each. */
export const LOG_TOPICS = table({
  name: 'contract_log_topics',
  columns: {
    list: 'int',
    seq: 'int',
    /** Where the transaction of the first print is in txs. */
    tx: 'int',
    topic: 'text',
  },
  key: ['list', 'seq'],
});

/** By the contract that printed. */
export const TOPICS_OF_CONTRACT = listKind({
  code: 39,
  chain: 'stacks',
  entries: LOG_TOPICS,
  named: true,
  clock: { of: 'transaction', column: 'tx' },
});
