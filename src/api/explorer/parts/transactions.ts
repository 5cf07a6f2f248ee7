import type * as Api from '../../routes/records.ts';
import { counted, grouped, stx } from '../format/amounts.ts';
import { blockLink, principalLink, shortened, txLink } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { CONFIRMED, chip, DROPPED, PENDING_AGAIN, stateOf } from '../words/states.ts';
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
      return html`Miner reward, to ${principalLink(tx.coinbase_payload?.alt_recipient ?? tx.sender_address)}`;
    case 'tenure_change':
      return tx.tenure_change_payload?.cause === 'block_found'
        ? html`Tenure change: the tenure of a new miner begins`
        : html`Tenure change: the tenure goes on <small>(${tx.tenure_change_payload?.cause})</small>`;
    case 'poison_microblock':
      return html`${sender} reports a miner who signed two blocks`;
    default:
      return html`${sender} · ${tx.tx_type}`;
  }
}

/** The text of a memo without its padding; undefined if it is empty or no text. @param hex 34 bytes */
export function memoText(hex: string): string | undefined {
  const bytes = Buffer.from(hex.replace(/^0x/, ''), 'hex');
  const end = bytes.findLastIndex(byte => byte !== 0) + 1;
  if (end === 0) return undefined;
  const text = bytes.subarray(0, end).toString('utf8');
  return text.includes('\ufffd') ? `0x${bytes.subarray(0, end).toString('hex')}` : text;
}

const COLUMNS = {
  state: { head: 'Status', cell: tx => chip(stateOf(tx)) },
  what: { head: 'Action', cell: sentence },
  id: { head: 'Transaction', isMain: true, cell: tx => txLink(tx.tx_id) },
  fee: { head: 'Fee', numeric: true, cell: tx => stx(tx.fee_rate) },
  nonce: { head: 'Nonce', isMinor: true, numeric: true, cell: tx => tx.nonce },
  block: {
    head: 'Block',
    isMinor: true,
    numeric: true,
    cell: tx => tx.block_height !== undefined && blockLink(tx.block_height),
  },
  when: { head: 'Time', cell: tx => time(tx.block_time || tx.burn_block_time || tx.receipt_time) },
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

/** The number of confirmations, including its own block. @param above blocks on top of it @param burnAbove Bitcoin blocks on top of its own */
export const confirmationsText = (above: number, burnAbove: number | undefined): Html =>
  html`${grouped(above + 1)}${burnAbove !== undefined && html` <small>${counted(burnAbove, 'Bitcoin block')} on top</small>`}`;

/** The current state of a transaction of a fork. */
function fateOf({ status, mined_in: place }: Api.LostTransaction): Html {
  if (place) return html`${chip(CONFIRMED)} in ${blockLink(place.height)}`;
  if (status === 'pending') return chip(PENDING_AGAIN);
  return chip(status === 'gone' ? { ...DROPPED, word: 'Gone' } : DROPPED);
}

/** Transactions of a fork, each with its current place. */
export const fates = (transactions: readonly Api.LostTransaction[]): Html =>
  dataTable<Api.LostTransaction>(
    'Transactions of the fork, each with its state now',
    [
      { head: 'Now', cell: fateOf },
      { head: 'Transaction', isMain: true, cell: tx => txLink(tx.tx_id) },
      { head: 'Type', cell: tx => tx.type.replaceAll('_', ' ') },
      { head: 'Lost at height', numeric: true, cell: tx => tx.lost_in.height.toLocaleString('en') },
    ],
    transactions,
    'No transaction of it is known.',
  );
