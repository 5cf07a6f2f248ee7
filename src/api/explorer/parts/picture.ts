import { COST_LIMITS } from '../../../ingest/chain/cost-limits.ts';
import type * as Api from '../../routes/records.ts';
import { counted, grouped } from '../format/amounts.ts';
import { burnLink, pathTo } from '../format/links.ts';
import { time } from '../format/times.ts';
import { type Html, html } from '../html.ts';
import { kindOf, type TransactionKind } from './transactions.ts';

/**
 * The picture of the chain: a row is a Bitcoin block, a column a Stacks block, a cell a transaction. Shape and colour of a cell are its
 * kind, its size is the share of the budget of a tenure that it used, a hollow one failed, a bar on top means that its fee is in the
 * upper quarter of its block.
 */

/** Most transactions that are drawn as cells; a block with more is drawn as counts by kind. */
const MOST_CELLS = 40;

interface Recent {
  readonly burnBlocks: readonly Api.BurnBlock[];
  readonly blocks: readonly Api.Block[];
  readonly cells: readonly Api.BlockCells[];
}

export function chainPicture({ burnBlocks, blocks, cells }: Recent): Html {
  const rows = burnBlocks.map(burn => ({
    burn,
    blocks: blocks.filter(block => block.burn_block_height === burn.burn_block_height),
  }));
  return html`<div class="picture" role="group" aria-label="The newest blocks: a row is a Bitcoin block, a column a Stacks block, a mark a transaction">
${legend('row: a Bitcoin block; box: a Stacks block, the newest first')}
${rows.map(({ burn, blocks }) => row(burn, blocks, cells))}</div>`;
}

function row(burn: Api.BurnBlock, blocks: readonly Api.Block[], cells: readonly Api.BlockCells[]): Html {
  const { burn_block_height: height, stacks_blocks: all, total_tx_count: count, burn_block_time: at } = burn;
  const more = all.length - blocks.length;
  // With `more`, usage is known only for some blocks, so no share of the whole is shown.
  const full = more === 0 ? fullest(blocks) : undefined;
  const words = [counted(all.length, 'block'), counted(count, 'transaction')].join(', ');
  const rest = html`<li class="more"><a href="${pathTo('btc', height)}">${blocks.length > 0 && '+ '}${counted(more, 'earlier block')}</a></li>`;
  return html`<div class="row" data-burn="${burn.burn_block_hash}"><p>Bitcoin block ${burnLink(height)} · ${words}${full && html` · fullest: ${full.name} ${full.percent} %`} · ${time(at)}</p>
${columns(blocks, cells, more > 0 && rest)}</div>
`;
}

/** Blocks as columns, followed by the rest of the picture. */
export const columns = (
  blocks: readonly Api.Block[],
  cells: readonly Api.BlockCells[],
  rest: Html | false = false,
): Html =>
  html`<ul class="columns">${blocks.map(block =>
    column(
      block,
      cells.find(({ index_hash }) => index_hash === block.index_block_hash),
    ),
  )}${rest}</ul>`;

/** A single block, with all its cells. */
export const largeColumn = (block: Api.Block, cells: Api.BlockCells | undefined): Html =>
  html`${legend()}<ul class="columns large">${column(block, cells, Number.POSITIVE_INFINITY)}</ul>`;

function column(block: Api.Block, cells: Api.BlockCells | undefined, most = MOST_CELLS): Html {
  const transactions = cells ? transactionsOf(cells) : [];
  const isComplete = cells !== undefined && transactions.length === cells.transaction_count;
  const failed = isComplete ? transactions.filter(({ isFailed }) => isFailed).length : 0;
  const label = `Block ${grouped(block.height)}, ${counted(cells?.transaction_count ?? block.tx_count, 'transaction')}${failed > 0 ? `, ${failed} failed` : ''}`;
  const drawn =
    isComplete && transactions.length <= most
      ? drawnCells(transactions)
      : counts(cells?.transaction_count ?? block.tx_count, isComplete ? transactions : []);
  return html`<li class="column" data-block="${block.index_block_hash}" data-height="${block.height}"><a href="${pathTo('block', block.height)}" aria-label="${label}" title="${label}">${drawn}</a></li>
`;
}

/** A transaction as a cell. */
interface Cell {
  readonly kind: TransactionKind;
  /** 0 to 3: below a thousandth of the budget, a hundredth, a twentieth, more. */
  readonly size: number;
  readonly isFailed: boolean;
  readonly fee: bigint;
}

const transactionsOf = ({ type, status, fee_rate, cost_share_ppm }: Api.BlockCells): Cell[] =>
  type.map((name, i) => ({
    kind: kindOf(name),
    size: STEPS.filter(step => (cost_share_ppm[i] ?? 0) >= step).length,
    isFailed: status[i] !== 'success',
    fee: BigInt(fee_rate[i] ?? 0),
  }));

/** In millionths of the budget. */
const STEPS = [1_000, 10_000, 50_000];

function drawnCells(transactions: readonly Cell[]): Html[] {
  const fees = transactions.map(({ fee }) => fee).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [least = 0n, upper = 0n] = [fees[0], fees[Math.floor(fees.length * 0.75)]];
  // If all fees are equal, no fee is shown as high.
  return transactions.map(({ kind, size, isFailed, fee }) =>
    cell(kind, size, isFailed, transactions.length >= 4 && fee >= upper && fee > least),
  );
}

const cell = (kind: TransactionKind, size: number, isFailed: boolean, isDear: boolean): Html =>
  html`<i class="cell ${kind} s${size}${isFailed ? ' failed' : ''}${isDear ? ' dear' : ''}"></i>`;

function counts(count: number, transactions: readonly Cell[]): Html {
  if (transactions.length === 0) return html`<span class="count">${grouped(count)}</span>`;
  const byKind = Map.groupBy(transactions, ({ kind }) => kind);
  return html`${[...byKind].map(
    ([kind, { length }]) => html`<span class="count">${cell(kind, 1, false, false)}${grouped(length)}</span>`,
  )}`;
}

/** @param further the meaning of rows and boxes, if the picture has several */
const legend = (further?: string): Html => html`<p class="legend" aria-hidden="true">
<span>${cell('transfer', 1, false, false)} transfer</span> <span>${cell('call', 1, false, false)} call</span>
<span>${cell('deploy', 1, false, false)} deployment</span> <span>${cell('miner', 1, false, false)} the miner’s</span>
<span>${cell('call', 1, true, false)} failed</span> <span>${cell('call', 1, false, true)} high fee in its block</span> <span>larger: used more of the budget</span>${further && html` <span>${further}</span>`}</p>`;

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

/** The dimension that these blocks together used most; undefined without usage. */
function fullest(blocks: readonly Costs[]): { readonly name: string; readonly percent: number } | undefined {
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

/** As `fullest`, for one block: `reads 4.2 %`; empty without usage. */
export function fullestText(block: Costs): string {
  const most = fullest([block]);
  return most === undefined ? '' : `${most.name} ${most.percent} %`;
}

/** Five bars with their figures: how much of the budget of a tenure was used. */
export const fullnessBars = (costs: Costs): Html =>
  html`<table class="meters"><caption>Share of the budget of the tenure</caption><tbody>${TENURE_LIMITS.map(
    ({ of, name, limit }) => {
      const used = costs[of] ?? 0;
      const percent = percentOf(used, limit);
      return html`<tr><th scope="row">${name}</th><td>${bar(percent)}</td><td class="number">${grouped(used)}</td><td class="number dim">of ${grouped(limit)}</td><td class="number">${percent} %</td></tr>`;
    },
  )}</tbody></table>`;

/** A bar; the number beside it has the same value. @param percent 0 to 100 */
export const bar = (percent: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="rail" width="100" height="8"/><rect width="${Math.min(100, Math.max(percent, percent > 0 ? 0.5 : 0))}" height="8"/></svg>`;
