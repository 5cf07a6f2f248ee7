import type * as Api from '../../routes/records.ts';
import { type Html, html } from '../html.ts';

/** The words for the state of a transaction: one table for every page (docs/explorer.md#words). */

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

export const CONFIRMED = { ...OK, word: 'Confirmed' } as const;
export const PENDING_AGAIN = { ...WAIT, word: 'Pending again' } as const;
export const DROPPED = { ...GONE, word: 'Dropped' } as const;

export const ORPHANED: State = {
  ...GONE,
  word: 'Orphaned',
  sentence: 'It was in a block that is no longer part of the chain.',
};

/** The state of a transaction in words. Each sentence holds for every transaction with that status, cause and type. */
export function stateOf(tx: Api.Transaction): State {
  if (tx.canonical === false) return ORPHANED;
  switch (tx.tx_status) {
    case 'success':
      return {
        ...CONFIRMED,
        sentence: tx.is_unanchored === true ? 'A microblock has it, and no block yet.' : 'It is part of the chain.',
      };
    case 'pending':
      return { ...WAIT, word: 'Pending', sentence: 'It is in the mempool and waits for a block.' };
    case 'abort_by_response':
      return { ...BAD, word: 'Failed', sentence: failedSentence(tx) };
    case 'abort_by_post_condition':
      return { ...BAD, word: 'Failed', sentence: abortedSentence(tx) };
    case 'problematic_skipped':
      return {
        ...BAD,
        word: 'Skipped',
        sentence: 'The miner skipped it: it had no effect, and its fee and nonce are used.',
      };
    case 'dropped_replace_by_fee':
      return {
        ...GONE,
        word: 'Replaced',
        sentence: 'Another transaction with the same nonce and a higher fee replaced it. It had no effect.',
      };
    case 'dropped_replace_across_fork':
      return {
        ...GONE,
        word: 'Replaced',
        sentence: 'Another transaction with the same nonce replaced it on another fork. It had no effect.',
      };
    case 'dropped_too_expensive':
      return { ...DROPPED, sentence: 'It needs more of the budget than a block has. It had no effect.' };
    case 'dropped_stale_garbage_collect':
      return {
        ...DROPPED,
        sentence: 'It was pending for too long and expired. It had no effect, and no fee was paid.',
      };
    case 'dropped_problematic':
      return { ...DROPPED, sentence: 'Nodes refuse to keep it. It had no effect.' };
    default:
      return { ...GONE, word: tx.tx_status, sentence: 'The node gave this status.' };
  }
}

/** `abort_by_response` covers deployments, calls that returned an error, and calls that stopped halfway. */
function failedSentence({ tx_type, vm_error }: Api.Transaction): string {
  if (tx_type === 'smart_contract') return 'The contract was not deployed. The fee was paid.';
  if (tx_type !== 'contract_call') return 'It had no effect. The fee was paid.';
  return vm_error
    ? 'The call stopped with an error: it had no effect. The fee was paid.'
    : 'The contract returned an error: the call had no effect. The fee was paid.';
}

/** The sentence of an aborted transaction. If the contract returned an error, that is the cause, although a required transfer also fails its condition. */
function abortedSentence(tx: Api.Transaction): string {
  return isContractError(tx)
    ? 'The contract returned an error, so a transfer that a post-condition requires did not happen. The call had no effect. The fee was paid.'
    : 'A post-condition of the sender was not met: the node undid all of its effects. The fee was paid.';
}

/** Whether the contract itself returned an error. */
export const isContractError = ({ tx_result }: Api.Transaction): boolean => tx_result?.repr.startsWith('(err') === true;

/** A state as it is shown beside a transaction. */
export const chip = ({ kind, glyph, word }: Omit<State, 'sentence'>): Html =>
  html`<span class="chip ${kind}"><span aria-hidden="true">${glyph}</span> ${word}</span>`;
