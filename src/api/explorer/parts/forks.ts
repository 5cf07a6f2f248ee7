import type * as Api from '../../routes/records.ts';
import { blockLink, pathTo, txLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { chip, GONE, OK, WAIT } from './status.ts';
import { dataTable } from './table.ts';

export const forkPath = (id: string): string => pathTo('fork', id);

export const forkLink = (id: string, text: string): Html => html`<a href="${forkPath(id)}">${text}</a>`;

/** The current state of a transaction of a fork. */
function fateOf({ status, mined_in: place }: Api.LostTransaction): Html {
  if (place) return html`${chip({ ...OK, word: 'Mined' })} in ${blockLink(place.height)}`;
  if (status === 'pending') return chip({ ...WAIT, word: 'Waits again' });
  return chip({ ...GONE, word: status === 'gone' ? 'Gone' : 'Dropped' });
}

/** Transactions of a fork, each with where it is now. */
export const fates = (transactions: readonly Api.LostTransaction[]): Html =>
  dataTable<Api.LostTransaction>(
    'What became of its transactions',
    [
      { head: 'Now', cell: fateOf },
      { head: 'Transaction', cell: tx => txLink(tx.tx_id) },
      { head: 'Type', cell: tx => tx.type.replaceAll('_', ' ') },
      { head: 'Lost at height', numeric: true, cell: tx => tx.lost_in.height.toLocaleString('en') },
    ],
    transactions,
    'None is known.',
  );
