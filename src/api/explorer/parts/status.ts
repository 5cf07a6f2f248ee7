import type * as Api from '../../routes/records.ts';
import { type Html, html } from '../html.ts';

/** The state of a transaction: a glyph, a word and a colour, never one of them alone. */
interface State {
  readonly kind: 'ok' | 'bad' | 'wait' | 'gone';
  readonly glyph: string;
  readonly word: string;
  /** A sentence for its own page. */
  readonly sentence: string;
}

export const OK = { kind: 'ok', glyph: '✓' } as const;
export const WAIT = { kind: 'wait', glyph: '◐' } as const;
const BAD = { kind: 'bad', glyph: '✗' } as const;
export const GONE = { kind: 'gone', glyph: '⊘' } as const;
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
