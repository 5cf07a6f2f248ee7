import type { RowOf } from '../../../base/store/table.ts';
import { type ADDRESS_TXS, TXS_OF_ADDRESS } from '../../../index/addresses/tables.ts';
import { unpackEvents } from '../../../index/transactions/events.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../../index/transactions/tables.ts';
import { isAssetEvent } from '../../../ingest/chain/event-facts.ts';
import type { KNOWN_BLOCKS } from '../../../ingest/indexer/known-blocks.ts';
import type { LISTS } from '../../../ingest/indexer/tables.ts';
import { type Check, type Context, type Finding, wrong } from '../check.ts';
import { pagedRows } from '../pages.ts';
import { eventOf } from './sources.ts';

type Counts = RowOf<typeof ADDRESS_TXS, 'without_stx' | 'without_transfers' | 'paid_nonce'>;
type Entry = Counts &
  RowOf<typeof ADDRESS_TXS, 'list' | 'seq' | 'tx'> &
  RowOf<typeof LISTS, 'name'> &
  RowOf<typeof TXS, 'record'> &
  RowOf<typeof TX_BODIES, 'events'>;

const NONE: Counts = { without_stx: 0, without_transfers: 0, paid_nonce: null };

export const historiesCheck: Check = {
  name: 'histories',
  proves:
    'what the older histories leave out of the list of each principal, and the nonces it paid for, are what a recount gives',

  async *run(context: Context): AsyncIterable<Finding> {
    const boot = await bootTransactions(context);
    let list: number | undefined;
    let counts = NONE;
    for await (const entry of pagedRows<Entry>(context.index, {
      sql: `SELECT e.list, e.seq, e.tx, e.without_stx, e.without_transfers, e.paid_nonce, l.name, t.record, b.events
        FROM address_txs e
          JOIN lists l ON l.kind = ${TXS_OF_ADDRESS.code} AND l.id = e.list
          JOIN txs t ON t.seq = e.tx
          JOIN tx_bodies b ON b.seq = e.tx`,
      key: ['list', 'seq'],
      alias: 'e',
      pageSize: 200,
    })) {
      if (entry.list !== list) counts = NONE;
      list = entry.list;
      counts = countsAfter(counts, entry, boot);
      const { without_stx, without_transfers, paid_nonce } = entry;
      if (String([without_stx, without_transfers, paid_nonce]) !== String(Object.values(counts)))
        yield wrong(
          `address_txs: entry ${entry.seq} of ${entry.name} counts ${[without_stx, without_transfers, paid_nonce]}, a recount gives ${Object.values(counts)}`,
        );
    }
  },
};

/** Ids of what a node made up for the boot block. */
async function bootTransactions({ index, journal }: Context): Promise<ReadonlySet<string>> {
  const rows = await index.all<RowOf<typeof KNOWN_BLOCKS, 'journal_seq'>>(
    'SELECT journal_seq FROM known_blocks WHERE height = 0',
  );
  const ids = new Set<string>();
  for (const { journal_seq: seq } of rows) {
    const event = await eventOf(journal, seq, '/new_block');
    for (const tx of event?.block.transactions ?? []) ids.add(tx.txid);
  }
  return ids;
}

/** The rule of members once more, on purpose without the function that the projection follows (index/addresses/roles.ts). */
function countsAfter(before: Counts, { name, record, events }: Entry, boot: ReadonlySet<string>): Counts {
  const { txId, sender, sponsor, payload, nonce } = readTransaction(record);
  const moves = unpackEvents(events)
    .filter(isAssetEvent)
    .filter(({ sender, recipient }) => sender === name || recipient === name);
  const hasRole =
    sender === name ||
    (payload.type === 'token_transfer' && payload.recipient === name) ||
    ((payload.type === 'contract_call' || payload.type === 'smart_contract') && payload.contractId === name);
  const isSponsor = sponsor?.address === name;
  const inStx = !boot.has(txId) && (hasRole || isSponsor || moves.some(({ kind }) => kind === 'stx'));
  const inTransfers = hasRole || moves.length > 0;
  const pays = (sponsor?.address ?? sender) === name;
  return {
    without_stx: before.without_stx + (inStx ? 0 : 1),
    without_transfers: before.without_transfers + (inTransfers ? 0 : 1),
    paid_nonce: pays ? Math.max(before.paid_nonce ?? 0, nonce) : before.paid_nonce,
  };
}
