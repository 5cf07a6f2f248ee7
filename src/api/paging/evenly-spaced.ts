/**
 * Positions in a list from the first to the last at even distances: all of them where that is not more than `count`; the last alone where one is
 * wanted.
 */
export function evenlySpaced(length: number, count: number): number[] {
  const points = Math.min(length, count);
  if (points === 1) return [length - 1];
  return Array.from({ length: points }, (_, i) => Math.floor((i * (length - 1)) / (points - 1)));
}
