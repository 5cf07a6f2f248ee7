/** Packs and reads the JSON texts of positions. */

/** A Bitcoin output: the id of its transaction (0x hex), and its number in that. */
export interface LockedOutput {
  readonly txId: string;
  readonly index: number;
}

type PackedOutput = readonly [txId: string, index: number];

/** The text of a column `l1_outputs` of BOND_POSITIONS. */
export const packOutputs = (outputs: readonly LockedOutput[]): string =>
  JSON.stringify(outputs.map(({ txId, index }): PackedOutput => [txId, index]));

/** The outputs that packOutputs packed. */
export const readOutputs = (text: string): LockedOutput[] =>
  (JSON.parse(text) as PackedOutput[]).map(([txId, index]) => ({ txId, index }));
