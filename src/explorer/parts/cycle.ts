import { counted, stx } from '../format/amounts.ts';
import { pathTo } from '../format/links.ts';
import { type Html, html } from '../html.ts';
import type { PoxCycle } from '../records.ts';

/** The newest reward cycle of which the chain has told the signers, in a sentence. @param burnHeight of Bitcoin now */
export function cycleBar(cycles: readonly PoxCycle[], burnHeight: number | undefined): Html {
  const [newest] = cycles;
  if (!newest) return html`<p class="none">No reward set is known yet.</p>`;
  const before = cycles[1];
  const change = before && BigInt(newest.total_stacked_amount) - BigInt(before.total_stacked_amount);
  return html`<p>Cycle <a href="${pathTo('stacking', newest.cycle_number)}">${newest.cycle_number}</a>: <b>${stx(newest.total_stacked_amount)}</b> stacked, ${counted(newest.total_signers, 'signer')}.</p>
${change !== undefined && html`<p class="dim">${change < 0n ? 'Less' : 'More'} than the cycle before by ${stx(change < 0n ? -change : change)}.</p>`}
${burnHeight && html`<p class="dim">Bitcoin is at block ${burnHeight.toLocaleString('en')}.</p>`}`;
}
