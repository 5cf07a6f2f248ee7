/**
 * Positions in a list at even distances, from the first to the last: all positions if there are at most `count`; only the last if `count` is
 * 1.
 */
export function evenlySpaced(length: number, count: number): number[] {
  const points = Math.min(length, count);
  if (points === 1) return [length - 1];
  return Array.from({ length: points }, (_, i) => Math.floor((i * (length - 1)) / (points - 1)));
}
