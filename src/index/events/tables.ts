import { table } from '../../base/store/table.ts';
import { listKind } from '../../ingest/indexer/tables.ts';

/**
 * Events that lock STX, by principal (getFilteredEventsV1). A principal that another one stacks for is not a member of the
 * transaction.
 */
export const LOCK_EVENTS = table({
  name: 'lock_events',
  columns: {
    list: 'int',
    seq: 'int',
    /** Where its transaction is in txs. */
    tx: 'int',
    event_index: 'int',
  },
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
  columns: {
    list: 'int',
    seq: 'int',
    /** Where its transaction is in txs. */
    tx: 'int',
    event_index: 'int',
  },
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
