import { createHash } from 'node:crypto';
import { encodeAddress } from '../../src/base/codec/index.ts';
import { bytes } from '../../test/support/wire-transaction.ts';
import type { Random } from './random.ts';

export const ADDRESS_VERSION = 26;

/** An account of a simulated chain. */
export interface Account {
  readonly hash: Uint8Array;
  readonly address: string;
  nonce: number;
  /** µSTX. */
  balance: number;
}

/** The initial balance of rich accounts: more than they can spend. */
const FORTUNE = 5e13;
const RICH = 100;

/** The accounts of a chain, created when they first appear. The first ones are rich, and appear most often. */
export class Accounts {
  readonly #random: Random;
  readonly #size: number;
  readonly #seed: string;
  readonly #made: Account[] = [];

  constructor(random: Random, seed: string, size: number) {
    this.#random = random;
    this.#size = size;
    this.#seed = seed;
  }

  at(place: number): Account {
    const made = this.#made[place];
    if (made) return made;
    const hash = createHash('sha256').update(`${this.#seed} account ${place}`).digest().subarray(0, 20);
    const account = {
      hash,
      address: encodeAddress(ADDRESS_VERSION, hash),
      nonce: 0,
      balance: place < RICH ? FORTUNE : 0,
    };
    this.#made[place] = account;
    return account;
  }

  rich(): Account[] {
    return Array.from({ length: RICH }, (_, place) => this.at(place));
  }

  any(): Account {
    return this.at(this.#random.zipf(this.#size));
  }

  other(than: Account): Account {
    for (;;) {
      const account = this.any();
      if (account !== than) return account;
    }
  }

  /** An account that can spend an amount. */
  payer(amount: number): Account {
    const account = this.any();
    return account.balance >= amount ? account : this.at(this.#random.zipf(RICH));
  }
}

export const standard = ({ hash }: Account): Uint8Array => bytes(ADDRESS_VERSION, hash);
