import { COST_LIMITS } from '../../../ingest/node/events/transaction.ts';
import { grouped } from '../format/amounts.ts';
import { type Html, html } from '../html.ts';

/** The limits of the blocks of one tenure together. */
const TENURE_LIMITS = [
  { of: 'execution_cost_runtime', name: 'runtime', limit: COST_LIMITS.runtime },
  { of: 'execution_cost_read_count', name: 'reads', limit: COST_LIMITS.read_count },
  { of: 'execution_cost_read_length', name: 'bytes read', limit: COST_LIMITS.read_length },
  { of: 'execution_cost_write_count', name: 'writes', limit: COST_LIMITS.write_count },
  { of: 'execution_cost_write_length', name: 'bytes written', limit: COST_LIMITS.write_length },
] as const;

type Cost = (typeof TENURE_LIMITS)[number]['of'];
type Costs = { readonly [cost in Cost]?: number };

const percentOf = (used: number, limit: number): number => Math.round((used / limit) * 1000) / 10;

/** The dimension that these blocks together used most; undefined where they used nothing. */
export function fullest(blocks: readonly Costs[]): { readonly name: string; readonly percent: number } | undefined {
  const shares = TENURE_LIMITS.map(({ of, name, limit }) => ({
    name,
    percent: percentOf(
      blocks.reduce((sum, block) => sum + (block[of] ?? 0), 0),
      limit,
    ),
  }));
  const [most] = shares.sort((a, b) => b.percent - a.percent);
  return most && most.percent > 0 ? most : undefined;
}

/** Five bars: how much of the budget of a tenure was used. */
export const fullnessBars = (costs: Costs): Html =>
  html`<table class="meters"><caption>Share of the budget of the tenure</caption><tbody>${TENURE_LIMITS.map(
    ({ of, name, limit }) => {
      const used = costs[of] ?? 0;
      const percent = percentOf(used, limit);
      return html`<tr><th scope="row">${name}</th><td>${bar(percent)}</td><td class="number"><span title="${grouped(used)} of ${grouped(limit)}">${percent} %</span></td></tr>`;
    },
  )}</tbody></table>`;

/** A bar; the number beside it has the same value. @param percent 0 to 100 */
export const bar = (percent: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="rail" width="100" height="8"/><rect width="${Math.min(100, Math.max(percent, percent > 0 ? 0.5 : 0))}" height="8"/></svg>`;
