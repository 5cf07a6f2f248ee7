import { blockLink, pathTo, txLink } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import { chip, GONE, OK, WAIT } from './status.ts';
import { dataTable } from './table.ts';

/** The members of forks that pages use (docs/spec/blocks.md#forks). */
interface BlockName {
  readonly height: number;
  readonly hash: string;
  readonly index_hash: string;
}

export interface Fork {
  readonly id: string;
  readonly fork_point: BlockName | null;
  readonly first_height: number;
  readonly last_height: number;
  readonly block_count: number;
  readonly transaction_count: number;
  readonly replaced_by: BlockName | null;
}

export interface LostBlock extends BlockName {
  readonly time: number;
  readonly bitcoin_height: number;
  readonly transaction_count: number;
  readonly replaced_by: BlockName | null;
}

interface LostTransaction {
  readonly tx_id: string;
  readonly type: string;
  readonly lost_in: { readonly height: number; readonly index_hash: string };
  readonly status: string;
  readonly mined_in: { readonly height: number } | null;
}

export interface WholeFork extends Fork {
  readonly blocks: readonly LostBlock[];
  readonly transactions: readonly LostTransaction[];
}

export const forkPath = (id: string): string => pathTo('fork', id);

export const forkLink = (id: string, text: string): Html => html`<a href="${forkPath(id)}">${text}</a>`;

/** The current state of a transaction of a fork. */
function fateOf({ status, mined_in: place }: LostTransaction): Html {
  if (place) return html`${chip({ ...OK, word: 'Mined' })} in ${blockLink(place.height)}`;
  if (status === 'pending') return chip({ ...WAIT, word: 'Waits again' });
  return chip({ ...GONE, word: status === 'gone' ? 'Gone' : 'Dropped' });
}

/** Transactions of a fork, each with where it is now. */
export const fates = (transactions: readonly LostTransaction[]): Html =>
  dataTable<LostTransaction>(
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
