const DECIMAL_PLACES = 20n;
const ONE = 10n ** DECIMAL_PLACES;

/** Share of a weight in percent: in doubles, division first (docs/spec/pox.md#percentages). 0 of nothing is 0. */
export function weightPercent(weight: number, total: number): number {
  return total === 0 ? 0 : (weight / total) * 100;
}

/**
 * Share of an amount in percent: the quotient rounded half up to 20 decimal places, times 100, as the nearest double
 * (docs/spec/pox.md#percentages). 0 of nothing is 0. Neither may be negative.
 */
export function amountPercent(amount: bigint, total: bigint): number {
  if (total === 0n) return 0;
  const quotient = (2n * amount * ONE + total) / (2n * total);
  // Percent is the quotient with its decimal point two places on; Number reads the text to the nearest double.
  return Number(`${quotient}e-${DECIMAL_PLACES - 2n}`);
}
