/** A burn height as it is stored and shown. Anyone may name one of 128 bits; no chain gets to 2^53. */
export function storableHeight(height: bigint): number {
  return height < BigInt(Number.MAX_SAFE_INTEGER) ? Number(height) : Number.MAX_SAFE_INTEGER;
}
