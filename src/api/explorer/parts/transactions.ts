import type * as Api from '../../routes/records.ts';
import { stx } from '../format/amounts.ts';
import { blockLink, principalLink, shortened, txLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { knownCall } from './known-calls.ts';
import { type Column, dataTable } from './lists.ts';

/** The kind of a transaction in the picture, by its type. */
export type TransactionKind = 'transfer' | 'call' | 'deploy' | 'miner';

export function kindOf(type: string): TransactionKind {
  switch (type) {
    case 'token_transfer':
      return 'transfer';
    case 'contract_call':
      return 'call';
    case 'smart_contract':
      return 'deploy';
    default:
      return 'miner';
  }
}

/** A transaction as a sentence with links: the intention of its sender, without guesses. */
export function sentence(tx: Api.Transaction): Html {
  const { token_transfer: transfer, contract_call: call, smart_contract: contract } = tx;
  const sender = principalLink(tx.sender_address);
  if (transfer) {
    const memo = memoText(transfer.memo);
    const said = memo && html` <q class="memo"><bdi>${memo}</bdi></q>`;
    return html`${sender} sends <b>${stx(transfer.amount)}</b> to ${principalLink(transfer.recipient_address)}${said}`;
  }
  const known = knownCall(tx);
  if (known) return html`${sender} ${known}`;
  if (call)
    return html`${sender} calls ${principalLink(call.contract_id)} · <b><bdi>${shortened(call.function_name, 40)}</bdi></b>`;
  if (contract) return html`${sender} deploys ${principalLink(contract.contract_id)}`;
  switch (tx.tx_type) {
    case 'coinbase':
      return html`The reward of the miner, to ${principalLink(tx.coinbase_payload?.alt_recipient ?? tx.sender_address)}`;
    case 'tenure_change':
      return tx.tenure_change_payload?.cause === 'block_found'
        ? html`The tenure of a new miner begins`
        : html`The tenure goes on <small>(${tx.tenure_change_payload?.cause})</small>`;
    case 'poison_microblock':
      return html`${sender} reports a miner who signed two blocks`;
    default:
      return html`${sender} · ${tx.tx_type}`;
  }
}

/** The text of a memo without its padding; undefined where it is empty or no text. @param hex 34 bytes */
export function memoText(hex: string): string | undefined {
  const bytes = Buffer.from(hex.replace(/^0x/, ''), 'hex');
  const end = bytes.findLastIndex(byte => byte !== 0) + 1;
  if (end === 0) return undefined;
  const text = bytes.subarray(0, end).toString('utf8');
  return text.includes('\ufffd') ? `0x${bytes.subarray(0, end).toString('hex')}` : text;
}

const COLUMNS = {
  state: { head: 'State', cell: tx => chip(stateOf(tx)) },
  what: { head: 'What', cell: sentence },
  id: { head: 'Transaction', cell: tx => txLink(tx.tx_id) },
  fee: { head: 'Fee', numeric: true, cell: tx => stx(tx.fee_rate) },
  nonce: { head: 'Nonce', numeric: true, cell: tx => tx.nonce },
  block: { head: 'Block', numeric: true, cell: tx => tx.block_height !== undefined && blockLink(tx.block_height) },
  when: { head: 'When', cell: tx => time(tx.block_time || tx.burn_block_time || tx.receipt_time) },
} as const satisfies Record<string, Column<Api.Transaction>>;

type TransactionColumn = keyof typeof COLUMNS;

/** A list of transactions. */
export const transactionTable = (
  caption: string,
  rows: readonly Api.Transaction[],
  columns: readonly TransactionColumn[],
  none: string,
): Html =>
  dataTable<Api.Transaction>(
    caption,
    columns.map(column => COLUMNS[column]),
    rows,
    none,
  );

/** The state of a transaction: a glyph, a word and a colour, never one of them alone. */
interface State {
  readonly kind: 'ok' | 'bad' | 'wait' | 'gone';
  readonly glyph: string;
  readonly word: string;
  /** A sentence for its own page. */
  readonly sentence: string;
}

const OK = { kind: 'ok', glyph: '✓' } as const;
const WAIT = { kind: 'wait', glyph: '◐' } as const;
const BAD = { kind: 'bad', glyph: '✗' } as const;
const GONE = { kind: 'gone', glyph: '⊘' } as const;
const REFUSED = 'The contract refused; only the fee was paid.';

export const ORPHANED: State = {
  ...GONE,
  word: 'Orphaned',
  sentence: 'It was in a block that is no longer part of the chain.',
};

/** @param result as Clarity shows it: a limit that "fails" because the contract refused is a refusal */
export function stateOf({ tx_status, tx_result, canonical }: Api.Transaction): State {
  if (canonical === false) return ORPHANED;
  switch (tx_status) {
    case 'success':
      return { ...OK, word: 'Done', sentence: 'It is part of the chain.' };
    case 'pending':
      return { ...WAIT, word: 'Waiting', sentence: 'It waits for a block.' };
    case 'abort_by_response':
      return { ...BAD, word: 'Failed', sentence: REFUSED };
    case 'abort_by_post_condition':
      return tx_result?.repr.startsWith('(err')
        ? { ...BAD, word: 'Failed', sentence: REFUSED }
        : {
            ...BAD,
            word: 'Stopped',
            sentence: 'The sender’s own limits stopped it: nothing moved, and the fee was paid.',
          };
    case 'problematic_skipped':
      return { ...BAD, word: 'Skipped', sentence: 'The miner skipped it; the fee and the nonce are used.' };
    case 'dropped_replace_by_fee':
      return {
        ...GONE,
        word: 'Replaced',
        sentence: 'Another transaction with the same nonce and a higher fee replaced it.',
      };
    case 'dropped_replace_across_fork':
      return {
        ...GONE,
        word: 'Replaced',
        sentence: 'Another transaction with the same nonce replaced it on another branch.',
      };
    case 'dropped_too_expensive':
      return { ...GONE, word: 'Dropped', sentence: 'It costs too much for a block.' };
    case 'dropped_stale_garbage_collect':
      return { ...GONE, word: 'Forgotten', sentence: 'It waited too long and was forgotten; nothing was spent.' };
    case 'dropped_problematic':
      return { ...GONE, word: 'Dropped', sentence: 'Nodes refused to keep it.' };
    default:
      return { ...GONE, word: tx_status, sentence: 'The node gave this status.' };
  }
}

export const chip = ({ kind, glyph, word }: Omit<State, 'sentence'>): Html =>
  html`<span class="chip ${kind}"><span aria-hidden="true">${glyph}</span> ${word}</span>`;

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
