import { toHex } from '../../../base/lib/hex.ts';
import type { Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { furtherEvents, mayHaveMore } from '../../../index/transactions/event-parts.ts';
import { EVENTS_IN_PART, unpackEvents } from '../../../index/transactions/events.ts';
import { reprOf } from '../../../index/transactions/record.ts';
import { TX_BODIES, type TXS } from '../../../index/transactions/tables.ts';
import type { EventFacts } from '../../../ingest/chain/event-facts.ts';
import { always, type ExportRow, sometimes, stxAmount, tokenAmount } from '../columns.ts';
import type { ExportPage } from '../exported-list.ts';
import type { PartSpan } from '../parts.ts';
import type { PinnedRead } from '../pinned-reads.ts';
import { numberedPages } from './numbered-pages.ts';

export const EVENT_COLUMNS = {
  tx_position: always('integer', 'position of the transaction in the chain, from 0 on'),
  event_index: always('integer', 'position among the events of the transaction'),
  tx_id: always('text', 'id of the transaction'),
  block_height: always('integer', 'height of the block'),
  block_time: always('time', 'time of the block'),
  type: always('text', '`stx_asset`, `ft_asset`, `nft_asset`, `stx_lock` or `contract_log`'),
  action: sometimes('text', 'of an asset: `transfer`, `mint` or `burn`'),
  asset_identifier: sometimes('text', 'token of `ft_asset` and `nft_asset`'),
  sender: sometimes('text', 'loses the asset'),
  recipient: sometimes('text', 'receives the asset'),
  amount: sometimes('amount', 'micro-STX of `stx_asset` and `stx_lock`, smallest units of `ft_asset`'),
  amount_large: sometimes('text', 'the amount where it has more than 38 digits; `amount` is null there'),
  memo: sometimes('text', 'memo of `stx_asset` (hex)'),
  locked_address: sometimes('text', 'of `stx_lock`: whose STX are locked'),
  unlock_burn_height: sometimes('integer', 'of `stx_lock`: the Bitcoin height at which the lock ends'),
  contract_id: sometimes('text', 'contract of `contract_log` and `stx_lock`'),
  topic: sometimes('text', 'of `contract_log`, such as `print`'),
  value: sometimes('text', 'Clarity value of `nft_asset` and `contract_log` (hex)'),
  value_repr: sometimes('text', 'the same for people'),
};

type Row = RowOf<typeof TXS, 'seq' | 'tx_id' | 'height'> &
  RowOf<typeof TX_BODIES, 'events'> &
  RowOf<typeof BLOCKS, 'block_time'>;
type EventRow = ExportRow<typeof EVENT_COLUMNS>;

/** Parts of a large transaction that are read at once. */
const PARTS_AT_ONCE = 10;

/** The events of the transactions of a part, in the order of the chain. */
export async function* eventPages(read: PinnedRead, { transactions }: PartSpan): AsyncGenerator<ExportPage<EventRow>> {
  const source = {
    ...{ table: TX_BODIES, large: 'events' },
    rows: (queries: Queries, { from, to }: Span) =>
      queries.all<Row>(
        // Transactions of the boot block, at height 0, are in the first block.
        `SELECT t.seq, t.tx_id, t.height, b.block_time, y.events
           FROM txs t JOIN tx_bodies y ON y.seq = t.seq JOIN blocks b ON b.seq = CASE WHEN t.height > 0 THEN t.height - 1 ELSE 0 END
          WHERE t.seq >= ? AND t.seq < ? ORDER BY t.seq`,
        [from, to],
      ),
    exported: (row: Row) => row,
  };
  for await (const { rows: transactionRows, share } of numberedPages(read, source, transactions)) {
    let rows: EventRow[] = [];
    for (const row of transactionRows) {
      const first = unpackEvents(row.events);
      for (const event of first) rows.push(rowOf(row, event));
      if (!mayHaveMore(first)) continue;
      yield { rows, share };
      rows = [];
      for await (const further of furtherPages(read, row.seq))
        yield { rows: further.map(event => rowOf(row, event)), share };
    }
    yield { rows, share };
  }
}

/** The events of a large transaction behind the first ones. */
async function* furtherPages(read: PinnedRead, tx: number): AsyncGenerator<readonly EventFacts[]> {
  for (let from = 1; ; from += PARTS_AT_ONCE) {
    const parts = { from, to: from + PARTS_AT_ONCE };
    const events = await read(queries => furtherEvents(queries, tx, parts));
    yield events;
    if (events.length < PARTS_AT_ONCE * EVENTS_IN_PART) return;
  }
}

const rowOf = (row: Row, event: EventFacts): EventRow => ({
  tx_position: row.seq,
  event_index: event.index,
  tx_id: toHex(row.tx_id),
  block_height: row.height,
  block_time: row.block_time,
  ...fieldsOf(event),
});

const NOTHING = {
  action: null,
  asset_identifier: null,
  sender: null,
  recipient: null,
  amount: null,
  amount_large: null,
  memo: null,
  locked_address: null,
  unlock_burn_height: null,
  contract_id: null,
  topic: null,
  value: null,
  value_repr: null,
};

function fieldsOf(event: EventFacts) {
  switch (event.kind) {
    case 'stx': {
      const { action, sender, recipient, memo } = event;
      return { ...NOTHING, type: 'stx_asset', action, sender, recipient, amount: stxAmount(event.amount), memo };
    }
    case 'ft': {
      const { action, sender, recipient, asset: asset_identifier } = event;
      const { amount, large: amount_large } = tokenAmount(event.amount);
      return { ...NOTHING, type: 'ft_asset', action, asset_identifier, sender, recipient, amount, amount_large };
    }
    case 'nft': {
      const { action, sender, recipient, asset: asset_identifier, value } = event;
      const value_repr = reprOf(value);
      return { ...NOTHING, type: 'nft_asset', action, asset_identifier, sender, recipient, value, value_repr };
    }
    case 'stx_lock': {
      const { address: locked_address, unlockHeight: unlock_burn_height, contractId: contract_id } = event;
      const amount = stxAmount(event.lockedAmount);
      return { ...NOTHING, type: 'stx_lock', amount, locked_address, unlock_burn_height, contract_id };
    }
    case 'log': {
      const { contractId: contract_id, topic, value } = event;
      return { ...NOTHING, type: 'contract_log', contract_id, topic, value, value_repr: reprOf(value) };
    }
    default:
      return event satisfies never;
  }
}
