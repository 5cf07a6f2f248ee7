/**
 * What a branch of the chain has used up, as far as the next transactions on it must respect it: nonces, tokens, contracts.
 * A copy for each block.
 */
export class Ledger {
  readonly #nonces = new Map<number, number>();
  readonly #owners = new Map<string, number>();
  readonly #contracts = new Set<string>();
  readonly #mined = new Set<string>();

  constructor(before?: Ledger) {
    if (!before) return;
    this.#nonces = new Map(before.#nonces);
    this.#owners = new Map(before.#owners);
    this.#contracts = new Set(before.#contracts);
    this.#mined = new Set(before.#mined);
  }

  nextNonce(account: number): number {
    return this.#nonces.get(account) ?? 0;
  }

  use(account: number, nonce: number): void {
    this.#nonces.set(account, nonce + 1);
  }

  /** The account that has a token (any text that names one). */
  ownerOf(token: string): number | undefined {
    return this.#owners.get(token);
  }

  /** @param owner null once the token is burned */
  give(token: string, owner: number | null): void {
    if (owner === null) this.#owners.delete(token);
    else this.#owners.set(token, owner);
  }

  isDeployed(contract: string): boolean {
    return this.#contracts.has(contract);
  }

  deploy(contract: string): void {
    this.#contracts.add(contract);
  }

  isMined(txId: string): boolean {
    return this.#mined.has(txId);
  }

  mine(txId: string): void {
    this.#mined.add(txId);
  }
}
