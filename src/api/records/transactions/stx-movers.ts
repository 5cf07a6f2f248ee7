import type { Span } from '../../../base/lib/span.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import type { RowBudget } from '../../http/long-reads.ts';
import { eventsInTurns, firstEventsAt } from './events.ts';

/** Transactions that are read at a time. */
const PART = 100;

/**
 * The principals whose STX these transactions change: payers of fees, and parties of events. A principal may come more than once.
 * @param span positions in TXS
 */
export async function* moversOfStx(queries: Queries, budget: RowBudget, span: Span): AsyncIterable<string> {
  for (let { from } = span; from < span.to; ) {
    const to = from + (await budget.take(Math.min(PART, span.to - from)));
    const rows = await queries.all<RowOf<typeof TXS, 'seq' | 'record'>>(
      'SELECT seq, record FROM txs WHERE seq >= ? AND seq < ?',
      [from, to],
    );
    const first = await firstEventsAt(
      queries,
      rows.map(({ seq }) => seq),
    );
    for (const { seq: tx, record } of rows) {
      const { sender, sponsor } = readTransaction(record);
      yield sponsor?.address ?? sender;
      for await (const events of eventsInTurns(queries, budget, { tx, first: first.get(tx) ?? [] }))
        for (const event of events)
          if (event.kind === 'stx')
            for (const party of [event.sender, event.recipient]) if (party !== null) yield party;
    }
    from = to;
  }
}
