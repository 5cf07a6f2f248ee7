/** The shape of a simulated chain. Ranges are from, to; both possible. */
export interface Profile {
  /** Blocks of a tenure, which is a burn block. */
  readonly tenureBlocks: readonly [number, number];
  /** A tenure is extended so often: with this probability in each block but its first. */
  readonly extends: number;
  /** Transactions of a block beside tenure changes and coinbases. */
  readonly transactions: readonly [number, number];
  readonly fungibleTokens: number;
  readonly collections: number;
  /** One principal for so many blocks, but no fewer than `leastPrincipals`. */
  readonly blocksForPrincipal: number;
  readonly leastPrincipals: number;
  /** Signatures below a block: 65 bytes each, which nothing compresses. */
  readonly signatures: number;
}

export const PROFILES = {
  /** Mainnet since Nakamoto: many small blocks. */
  nakamoto: {
    tenureBlocks: [60, 100],
    extends: 1 / 25,
    transactions: [1, 3],
    fungibleTokens: 400,
    collections: 100,
    blocksForPrincipal: 4,
    leastPrincipals: 3_000,
    signatures: 4,
  },
} as const satisfies Readonly<Record<string, Profile>>;
