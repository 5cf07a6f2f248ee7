import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { unpackEvents } from '../../../index/transactions/events.ts';
import { readTransaction, type StoredTransaction } from '../../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import { pagedRows } from '../pages.ts';

/** What checks recount from: a canonical transaction and what it did. */
export interface RecordedTransaction {
  readonly seq: number;
  readonly tx: StoredTransaction;
  readonly events: readonly EventFacts[];
}

type RecordRow = RowOf<typeof TXS, 'seq' | 'record'> & OuterRowOf<typeof TX_BODIES, 'events'>;

export async function* recordedTransactions(index: Queries): AsyncIterable<RecordedTransaction> {
  for await (const { seq, record, events } of pagedRows<RecordRow>(index, {
    sql: 'SELECT t.seq, t.record, e.events FROM txs t LEFT JOIN tx_bodies e ON e.seq = t.seq',
    key: ['seq'],
    alias: 't',
    pageSize: 200,
  }))
    yield { seq, tx: readTransaction(record), events: unpackEvents(events) };
}
