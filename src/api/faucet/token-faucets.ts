import { type Payment, RateLimit, STACKING_RATE, USUAL_RATE } from './limit.ts';
import type { Payer } from './payer.ts';
import { stxTransfer, tokenTransfer } from './payloads.ts';
import type { SbtcSettings, StxSettings } from './settings.ts';
import type { SignedTransaction } from './transaction.ts';

const MEMO = 'faucet';

/** Pays STX of the testnet. */
export class StxFaucet {
  readonly #payer: Payer;
  readonly #amount: bigint;
  readonly #usual: RateLimit;
  readonly #stacking: RateLimit;

  constructor(payer: Payer, { amount }: Pick<StxSettings, 'amount'>, now: () => number) {
    this.#payer = payer;
    this.#amount = BigInt(amount);
    this.#usual = new RateLimit(USUAL_RATE, now);
    this.#stacking = new RateLimit(STACKING_RATE, now);
  }

  /**
   * @param stacking an amount that can be stacked
   * @throws ApiError 429 for an address or a client that has reached its limit, and errors of Payer
   */
  give(payment: Payment, stacking: boolean): Promise<SignedTransaction> {
    return (stacking ? this.#stacking : this.#usual).serve(payment, async () => {
      const amount = stacking ? await this.#stackingAmount() : this.#amount;
      return this.#payer.send(payment.client, () => stxTransfer(payment.recipient, amount, MEMO));
    });
  }

  /** A fifth more than the least that can be stacked. */
  async #stackingAmount(): Promise<bigint> {
    const { min_amount_ustx: least } = await this.#payer.pox();
    return typeof least === 'number' && least > 0 ? (BigInt(Math.ceil(least)) * 12n) / 10n : this.#amount;
  }
}

/** Pays sBTC of the testnet by transfers of its token. */
export class SbtcFaucet {
  readonly #payer: Payer;
  readonly #settings: SbtcSettings;
  readonly #limit: RateLimit;

  constructor(payer: Payer, settings: SbtcSettings, now: () => number) {
    this.#payer = payer;
    this.#settings = settings;
    this.#limit = new RateLimit(USUAL_RATE, now);
  }

  /** @throws ApiError 429 for an address or a client that has reached its limit, and errors of Payer */
  give(payment: Payment): Promise<SignedTransaction> {
    const { token, amount } = this.#settings;
    return this.#limit.serve(payment, () =>
      this.#payer.send(payment.client, from => tokenTransfer(token, from, payment.recipient, BigInt(amount))),
    );
  }
}
