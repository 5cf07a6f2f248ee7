import type { Queries } from '../../../base/store/database.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import { unpackEvents } from '../../../index/transactions/events.ts';
import { unpackRecord } from '../../../index/transactions/packed-record.ts';
import type { TX_BODIES, TXS } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import { pagedRows } from '../pages.ts';

/** What checks recount from: a canonical transaction as it is served, and what it did. */
export interface RecordedTransaction {
  readonly seq: number;
  readonly record: {
    readonly tx_id: string;
    readonly tx_type: string;
    readonly block_height: number;
    /** `0x` outside microblocks. */
    readonly microblock_hash: string;
    readonly microblock_sequence: number;
    readonly nonce: number;
    readonly fee_rate: string;
    readonly sender_address: string;
    readonly sponsor_address?: string;
    readonly token_transfer?: { readonly recipient_address: string };
    readonly smart_contract?: { readonly contract_id: string };
    readonly contract_call?: { readonly contract_id: string; readonly function_name: string };
  };
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
    yield {
      seq,
      record: JSON.parse(unpackRecord(record)) as RecordedTransaction['record'],
      events: unpackEvents(events),
    };
}
