import { type Html, html } from '../html.ts';

/**
 * A moment, sent in UTC; a script turns it into "4 s ago" or the reader's zone. Without a script the text is exact.
 * @param seconds Unix time; nothing is shown for 0
 */
export function time(seconds: number | undefined): Html {
  if (!seconds) return html`<span class="dim">unknown</span>`;
  const iso = new Date(seconds * 1000).toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return html`<time datetime="${iso}" title="${utc}">${utc}</time>`;
}

/** The time of a block in Unix seconds; before epoch 3.0, that of its Bitcoin block. */
export const timeOfBlock = (block: { readonly block_time: number; readonly burn_block_time: number }): number =>
  block.block_time || block.burn_block_time;

/** `about 3 days`: how long that many Bitcoin blocks take, at their mean of ten minutes. */
export const aboutBitcoinBlocks = (count: number): string => aboutDuration(count * SECONDS_OF_BITCOIN_BLOCK);

/** The mean that Bitcoin aims at. */
export const SECONDS_OF_BITCOIN_BLOCK = 600;

/** `about 3 days` */
export function aboutDuration(seconds: number): string {
  const unit = UNITS.find(({ from }) => seconds >= from) ?? { length: 1, name: 'second' };
  const count = Math.round(seconds / unit.length);
  return `about ${count} ${unit.name}${count === 1 ? '' : 's'}`;
}

/** Seconds. */
export const DAY = 86_400;
const MONTH = (365.25 / 12) * DAY;
const YEAR = 365.25 * DAY;

/** Units with the least seconds for each: days are used up to 60, months up to 24. */
const UNITS = [
  { from: 2 * YEAR, length: YEAR, name: 'year' },
  { from: 60 * DAY, length: MONTH, name: 'month' },
  { from: DAY, length: DAY, name: 'day' },
  { from: 3600, length: 3600, name: 'hour' },
  { from: 60, length: 60, name: 'minute' },
] as const;
