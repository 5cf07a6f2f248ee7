/** The shape of a simulated chain. Ranges are [from, to], both inclusive. */
export interface Profile {
  /** Blocks of a tenure, which is a burn block. */
  readonly tenureBlocks: readonly [number, number];
  /** The probability that a block extends its tenure, for every block of a tenure except the first. */
  readonly extends: number;
  /** Transactions of a block beside tenure changes and coinbases. */
  readonly transactions: readonly [number, number];
  /** The same for the last block, if blocks grow along the chain. */
  readonly lastTransactions?: readonly [number, number];
  readonly fungibleTokens: number;
  readonly collections: number;
  /** The number of blocks for each principal; but a chain has at least `leastPrincipals`. */
  readonly blocksForPrincipal: number;
  readonly leastPrincipals: number;
  /** Signatures below a block: 65 bytes each, which nothing compresses. */
  readonly signatures: number;
}

const DENSE = {
  tenureBlocks: [60, 100],
  extends: 1 / 25,
  transactions: [25, 25],
  fungibleTokens: 400,
  collections: 100,
  blocksForPrincipal: 0.5,
  leastPrincipals: 3_000,
  signatures: 4,
} as const satisfies Profile;

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
  /** Few large blocks. */
  dense: DENSE,
  /** From two transactions a block to 25. */
  growing: { ...DENSE, transactions: [2, 2], lastTransactions: [25, 25], blocksForPrincipal: 1 },
} as const satisfies Readonly<Record<string, Profile>>;

/** Between how many transactions a block has. @param share of the chain that is below it, 0 to 1 */
export function transactionsAt({ transactions, lastTransactions }: Profile, share: number): readonly [number, number] {
  if (lastTransactions === undefined) return transactions;
  const between = (i: 0 | 1) => Math.round(transactions[i] + share * (lastTransactions[i] - transactions[i]));
  return [between(0), between(1)];
}
