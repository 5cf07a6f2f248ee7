import { type Html, html } from '../html.ts';

/** Amounts are decimal text in the smallest unit, and never become floating-point numbers. */

const STX_DECIMALS = 6;

/** `1234567` with 6 decimals: `1.234567`; zeros at the end are cut. */
export function decimalText(amount: string | bigint, decimals: number): string {
  const value = BigInt(amount);
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = grouped(digits.slice(0, digits.length - decimals));
  const rest = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return `${value < 0n ? '−' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
}

/** `12,345` */
export const grouped = (number: string | number | bigint): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/** STX with the exact number of micro-STX on hover, for screen readers and for copying. @param amount in micro-STX */
export const stx = (amount: string | number | bigint): Html => exact(BigInt(amount), STX_DECIMALS, 'STX', 'µSTX');

/** Bitcoin with the exact number of satoshis on hover. @param amount in satoshis */
export const btc = (amount: string | number | bigint): Html => exact(BigInt(amount), 8, 'BTC', 'satoshis');

/** As `stx`, for a column whose head has the unit. @param amount in micro-STX */
export const stxNumber = (amount: number): Html => exact(BigInt(Math.round(amount)), STX_DECIMALS, '', 'µSTX');

/** With a sign, for gains and losses of an account. @param amount in micro-STX */
export const signedStx = (amount: bigint): Html =>
  html`<span class="${amount < 0n ? 'out' : amount > 0n ? 'in' : 'dim'}">${amount > 0n ? '+' : ''}${stx(amount)}</span>`;

/** The known facts about a token: its symbol, and its decimals if the contract gives them. */
export interface TokenUnit {
  readonly symbol: string;
  readonly decimals: number | undefined;
}

/** An amount of a token. Without decimals it is in the smallest unit, and the text names that unit. */
export const tokens = (amount: string | bigint, { symbol, decimals }: TokenUnit): Html =>
  decimals === undefined
    ? html`<data value="${String(amount)}">${decimalText(amount, 0)}</data> <small title="The number of decimals is not known">units of</small> ${symbol}`
    : exact(BigInt(amount), decimals, symbol, 'units');

/** As `tokens`, for a column whose head has the unit (`unitHead`). */
export const amountOfToken = (amount: string | bigint, { decimals }: TokenUnit): Html =>
  exact(BigInt(amount), decimals ?? 0, '', 'units');

/** `Balance, TOK`, or `Balance, units of tok` if the decimals are unknown. */
export const unitHead = (head: string, { symbol, decimals }: TokenUnit): string =>
  `${head}, ${decimals === undefined ? 'units of ' : ''}${symbol}`;

/** The digits after the point are a separate element, empty for whole amounts, so that columns align. */
function exact(amount: bigint, decimals: number, symbol: string, smallest: string): Html {
  const [whole, fraction] = decimalText(amount, decimals).split('.');
  const digits =
    decimals > 0 && html`<span class="frac${decimals > STX_DECIMALS && ' d8'}">${fraction && `.${fraction}`}</span>`;
  return html`<data value="${amount}" title="${grouped(amount)} ${smallest}">${whole}${digits}</data> ${symbol}`;
}

/** `1 block`, `2 blocks` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${grouped(count)} ${count === 1 ? one : many}`;
