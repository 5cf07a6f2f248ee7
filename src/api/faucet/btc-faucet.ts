import { isBitcoinAddress } from '../../base/codec/index.ts';
import type { ClientLedger } from '../http/clients.ts';
import { ApiError } from '../http/errors.ts';
import type { NodeLog } from '../node-proxy/node-client.ts';
import { BitcoinWallet, WalletError } from './bitcoin-wallet.ts';
import { faucetEmpty, faucetRefused, faucetUnavailable } from './faults.ts';
import { type Payment, RateLimit, Turns, USUAL_RATE } from './limit.ts';
import type { BtcSettings } from './settings.ts';

/** Satoshis. */
const LARGE_AMOUNTS = { large: 1_000_000, xlarge: 50_000_000 } as const;
type BtcAmount = 'usual' | keyof typeof LARGE_AMOUNTS;

/** Chains without valuable coins, by bitcoind's names. */
const TEST_CHAINS: ReadonlySet<unknown> = new Set(['regtest', 'signet', 'test', 'testnet4']);

const BAD_ADDRESS = -5;
const NO_FUNDS = -6;

/** Pays BTC of a test network from a wallet of bitcoind. */
export class BtcFaucet {
  readonly #wallet: BitcoinWallet;
  readonly #log: NodeLog;
  readonly #limit: RateLimit;
  readonly #transfers: Turns;
  readonly #scans: Turns;
  readonly #amounts: Readonly<Record<BtcAmount, number>>;
  #isTestChain = false;

  constructor(settings: BtcSettings, log: NodeLog, ledger: ClientLedger, now: () => number) {
    this.#wallet = new BitcoinWallet(settings, log);
    this.#log = log;
    this.#amounts = { usual: settings.amount, ...LARGE_AMOUNTS };
    this.#limit = new RateLimit(USUAL_RATE, now);
    this.#transfers = new Turns(ledger, 'faucet_transfers');
    this.#scans = new Turns(ledger, 'faucet_scans');
  }

  /**
   * @throws ApiError 400 for an invalid address or one of another chain than the wallet's, 403 on mainnet, 429, 502,
   * 503
   */
  async give(
    { recipient, client }: Payment,
    amount: BtcAmount,
  ): Promise<{ readonly txId: string; readonly raw: string }> {
    return this.#asking(recipient, spelled =>
      this.#limit.serve({ recipient: spelled, client }, () =>
        this.#transfers.take(client, () => this.#send(spelled, btcText(this.#amounts[amount]))),
      ),
    );
  }

  /** BTC of an address. @param client that requests it @throws ApiError 400, 403, 429, 502, 503 */
  async balanceOf(address: string, client: string): Promise<number> {
    return this.#asking(address, spelled =>
      this.#scans.take(client, async () => {
        await this.#checkChain();
        const scan = (await this.#wallet.call('scantxoutset', 'start', [`addr(${spelled})`])) as Scan | null;
        if (scan?.success !== true || typeof scan.total_amount !== 'number') throw new Error('the scan has no result');
        return scan.total_amount;
      }),
    );
  }

  close(): Promise<void> {
    return this.#wallet.close();
  }

  async #send(address: string, amount: string): Promise<{ readonly txId: string; readonly raw: string }> {
    await this.#checkChain();
    const txId = String(await this.#wallet.call('sendtoaddress', address, amount));
    // The payment is sent: the client gets its id even if a later step fails.
    const sent = await this.#wallet.call('gettransaction', txId).catch(() => undefined);
    return { txId, raw: String((sent as { readonly hex?: unknown } | undefined)?.hex ?? '') };
  }

  /** Checks that the wallet is of a test network, so that a wrong setting cannot pay real coins. */
  async #checkChain(): Promise<void> {
    if (this.#isTestChain) return;
    const { chain } = (await this.#wallet.call('getblockchaininfo')) as { readonly chain?: unknown };
    if (!TEST_CHAINS.has(chain)) {
      this.#log.warn({ chain }, 'the Bitcoin wallet is not on a test network; the faucet pays nothing');
      throw new ApiError(403, 'BTC faucet is not available');
    }
    this.#isTestChain = true;
  }

  async #asking<T>(address: string, ask: (spelled: string) => Promise<T>): Promise<T> {
    if (!isBitcoinAddress(address)) throw badAddress();
    try {
      return await ask(spellingOf(address));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (!(error instanceof WalletError)) {
        this.#log.warn({ err: error }, 'the Bitcoin wallet does not respond: check STACKS_INDEX_FAUCET_BTC_WALLET');
        throw faucetUnavailable();
      }
      if (error.rpcCode === BAD_ADDRESS) throw badAddress();
      this.#log.warn({ err: error }, 'the Bitcoin wallet refused a request of the faucet');
      throw error.rpcCode === NO_FUNDS ? faucetEmpty() : faucetRefused();
    }
  }
}

interface Scan {
  readonly success?: unknown;
  readonly total_amount?: unknown;
}

/** Satoshis in BTC, as text: bitcoind takes decimals without rounding them. */
function btcText(satoshis: number): string {
  const digits = String(satoshis).padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, '');
}

/** One spelling for each address: segwit addresses may be in capitals, and would count as other recipients. */
const spellingOf = (address: string): string => (/^(bc|tb|bcrt)1/i.test(address) ? address.toLowerCase() : address);

/** The error for an invalid address, or one of another network. */
const badAddress = (): ApiError => new ApiError(400, 'Invalid BTC regtest address');
