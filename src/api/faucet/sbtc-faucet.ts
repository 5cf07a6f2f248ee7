import { RateLimit, USUAL_RATE } from './limit.ts';
import type { Payer } from './payer.ts';
import { tokenTransfer } from './payloads.ts';
import type { SbtcSettings } from './settings.ts';
import type { SignedTransaction } from './transaction.ts';

/** Gives sBTC of the testnet away: transfers of its token. */
export class SbtcFaucet {
  readonly #payer: Payer;
  readonly #settings: SbtcSettings;
  readonly #limit: RateLimit;

  constructor(payer: Payer, settings: SbtcSettings, now: () => number) {
    this.#payer = payer;
    this.#settings = settings;
    this.#limit = new RateLimit(USUAL_RATE, now);
  }

  /** @param address an address or a contract @throws ApiError 429 for an address that has had enough, and what Payer throws */
  give(address: string): Promise<SignedTransaction> {
    const { token, amount } = this.#settings;
    return this.#limit.serve(address, () =>
      this.#payer.send(from => tokenTransfer(token, from, address, BigInt(amount))),
    );
  }
}
