import { type Payment, RateLimit, STACKING_RATE, USUAL_RATE } from './limit.ts';
import type { Payer } from './payer.ts';
import { stxTransfer, tokenTransfer } from './payloads.ts';
import type { SbtcSettings } from './settings.ts';
import type { SignedTransaction } from './transaction.ts';

/** Micro-STX. */
export const USUAL_USTX = 500_000_000n;
const MEMO = 'faucet';

/** Gives STX of the testnet away. */
export class StxFaucet {
  readonly #payer: Payer;
  readonly #usual: RateLimit;
  readonly #stacking: RateLimit;

  constructor(payer: Payer, now: () => number) {
    this.#payer = payer;
    this.#usual = new RateLimit(USUAL_RATE, now);
    this.#stacking = new RateLimit(STACKING_RATE, now);
  }

  /**
   * @param stacking an amount that can be stacked
   * @throws ApiError 429 for an address or a client that has had enough, and what Payer throws
   */
  give(payment: Payment, stacking: boolean): Promise<SignedTransaction> {
    return (stacking ? this.#stacking : this.#usual).serve(payment, async () => {
      const amount = stacking ? await this.#stackingAmount() : USUAL_USTX;
      return this.#payer.send(payment.client, () => stxTransfer(payment.recipient, amount, MEMO));
    });
  }

  /** A fifth more than the least that can be stacked. */
  async #stackingAmount(): Promise<bigint> {
    const { min_amount_ustx: least } = await this.#payer.pox();
    return typeof least === 'number' && least > 0 ? (BigInt(Math.ceil(least)) * 12n) / 10n : USUAL_USTX;
  }
}

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

  /** @throws ApiError 429 for an address or a client that has had enough, and what Payer throws */
  give(payment: Payment): Promise<SignedTransaction> {
    const { token, amount } = this.#settings;
    return this.#limit.serve(payment, () =>
      this.#payer.send(payment.client, from => tokenTransfer(token, from, payment.recipient, BigInt(amount))),
    );
  }
}
