import { toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { isDatabaseError } from '../../../base/store/errors.ts';
import type { OuterRowOf, RowOf } from '../../../base/store/table.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { allEvents } from '../../../index/transactions/event-parts.ts';
import { readTransaction, type StoredTransaction } from '../../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../../index/transactions/tables.ts';
import { type EventFacts, isAssetEvent, partiesOf } from '../../../ingest/chain/event-facts.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import { isPayloadDropped } from '../../../ingest/journal/dropped.ts';
import { type JournalEntry, readEntries } from '../../../ingest/journal/entries.ts';
import { type NodeEvent, parseEvent } from '../../../ingest/node/events/parse.ts';
import type { Context } from '../check.ts';
import { pagedRows } from '../pages.ts';

/** A block of the canonical chain with its row in known_blocks, whose columns are null if that row is missing. */
export type CanonicalRow = RowOf<typeof BLOCKS, 'seq' | 'first_tx' | 'tx_rows'> &
  OuterRowOf<
    typeof KNOWN_BLOCKS,
    'index_block_hash' | 'parent_index_block_hash' | 'height' | 'connected' | 'journal_seq'
  > & {
    /** Of its burn block; null where that was never announced. */
    readonly burn_canonical: number | null;
  };

/** The canonical chain from height 1 upwards. */
export const canonicalBlocks = (index: Queries): AsyncIterable<CanonicalRow> =>
  pagedRows<CanonicalRow>(index, {
    sql: `SELECT b.seq, b.first_tx, b.tx_rows, k.index_block_hash, k.parent_index_block_hash, k.height, k.connected,
      k.journal_seq, u.canonical AS burn_canonical
      FROM blocks b
        LEFT JOIN known_blocks k ON k.arrival = b.known
        LEFT JOIN burn_blocks u ON u.hash = k.burn_block_hash`,
    key: ['seq'],
    alias: 'b',
    pageSize: 200,
  });

const REPEATED = ['type', 'fee', 'nonce', 'sender', 'recipient', 'contract', 'function'] as const;

/** The source of recounts: a canonical transaction and its events. */
export interface RecordedTransaction {
  readonly seq: number;
  readonly tx: StoredTransaction;
  /** The columns of its row that repeat its record. */
  readonly row: RowOf<typeof TXS, (typeof REPEATED)[number]>;
  readonly events: readonly EventFacts[];
}

type RecordRow = RecordedTransaction['row'] &
  RowOf<typeof TXS, 'seq' | 'record'> &
  OuterRowOf<typeof TX_BODIES, 'events'>;

export async function* recordedTransactions(index: Queries): AsyncIterable<RecordedTransaction> {
  for await (const { seq, record, events, ...row } of pagedRows<RecordRow>(index, {
    sql: `SELECT t.seq, t.record, ${REPEATED.map(name => `t.${name}`).join(', ')}, e.events
      FROM txs t LEFT JOIN tx_bodies e ON e.seq = t.seq`,
    key: ['seq'],
    alias: 't',
    pageSize: 200,
  }))
    yield { seq, tx: readTransaction(record), row, events: await allEvents(index, seq, events) };
}

/**
 * The members of a transaction (docs/spec/addresses.md#members-of-a-transaction); on purpose independent of the function that the
 * projections use (index/addresses/roles.ts).
 */
export function recountedMembers({ tx, events }: Pick<RecordedTransaction, 'tx' | 'events'>): Set<string> {
  const { sender, sponsor, payload } = tx;
  const members = new Set([sender]);
  if (sponsor) members.add(sponsor.address);
  if (payload.type === 'token_transfer') members.add(payload.recipient);
  if (payload.type === 'contract_call' || payload.type === 'smart_contract') members.add(payload.contractId);
  for (const party of events.filter(isAssetEvent).flatMap(partiesOf)) members.add(party);
  return members;
}

/** The events of a canonical transaction. */
export interface RecordedEvents {
  readonly seq: number;
  readonly txId: string;
  readonly height: number;
  readonly events: readonly EventFacts[];
}

type EventsRow = RowOf<typeof TXS, 'seq' | 'tx_id' | 'height'> & RowOf<typeof TX_BODIES, 'events'>;

/** The events of the same transactions, without reading their records. */
export async function* recordedEvents(index: Queries): AsyncIterable<RecordedEvents> {
  for await (const { seq, tx_id, height, events } of pagedRows<EventsRow>(index, {
    sql: 'SELECT t.seq, t.tx_id, t.height, e.events FROM txs t JOIN tx_bodies e ON e.seq = t.seq',
    key: ['seq'],
    alias: 't',
    pageSize: 200,
  }))
    if (events !== null) yield { seq, txId: toHex(tx_id), height, events: await allEvents(index, seq, events) };
}

type EventAt<P extends NodeEvent['path']> = Extract<NodeEvent, { path: P }>;

/** The event of a journal entry; undefined when the entry is missing, damaged, or of another kind. @throws FatalDatabaseError (PAYLOAD_DROPPED), which ends a check */
export async function eventOf<P extends '/new_block' | '/new_burn_block'>(
  journal: Queries,
  seq: number | null,
  path: P,
): Promise<EventAt<P> | undefined> {
  const entry = seq === null ? undefined : await entryAt(journal, seq);
  const event = entry && parseEvent(entry.path, entry.body);
  return event?.ok && event.value.path === path ? (event.value as EventAt<P>) : undefined;
}

async function entryAt(journal: Queries, seq: number): Promise<JournalEntry | undefined> {
  try {
    return (await readEntries(journal, seq - 1, 1))[0];
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    return undefined;
  }
}

/** As eventOf, for checks that compare row by row: they leave out a row whose payload was dropped. */
export async function eventIfKept<P extends '/new_block' | '/new_burn_block'>(
  { journal, onDropped }: Pick<Context, 'journal' | 'onDropped'>,
  seq: number | null,
  path: P,
): Promise<EventAt<P> | undefined | 'dropped'> {
  try {
    return await eventOf(journal, seq, path);
  } catch (error) {
    if (!isPayloadDropped(error)) throw error;
    onDropped();
    return 'dropped';
  }
}
