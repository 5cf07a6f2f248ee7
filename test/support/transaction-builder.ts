import { createHash } from 'node:crypto';
import { encodeAddress } from '../../src/base/codec/index.ts';
import { toHex } from '../../src/base/lib/hex.ts';
import {
  bytes,
  filled,
  longText,
  name,
  standardAuth,
  standardPrincipal,
  u32,
  u64,
  wireTransaction,
} from './wire-transaction.ts';

/** A transaction with its events, not yet placed in a block. */
export interface BuiltTx {
  readonly txId: string;
  /** As in `transactions` of a payload, without what depends on the place. */
  readonly body: Readonly<Record<string, unknown>>;
  /** As in `events`, without their number. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

interface TransferOptions {
  /** Any byte: names an account. */
  readonly from?: number;
  readonly to?: number;
  readonly amount?: number;
  readonly fee?: number;
  readonly status?: string;
}

const [MAINNET_CHAIN, TESTNET_CHAIN] = [1, 0x80000000];
const ADDRESS_VERSION = 26;
const OK_TRUE = '0x0703';
const COST = { runtime: 5, read_count: 4, read_length: 3, write_count: 2, write_length: 1 };

export const sha = (...parts: Uint8Array[]): string =>
  toHex(
    createHash('sha512-256')
      .update(bytes(...parts))
      .digest(),
  );
export const unhex = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');

/** The testnet address of an account of the builder. */
export const accountAddress = (account: number): string => encodeAddress(ADDRESS_VERSION, filled(20, account));

/** What names a burn view; nothing reads its other hashes. @param burnView consensus hash, 0x hex */
export const tenureChangePayload = (burnView: string, cause: number): Uint8Array =>
  bytes(0x07, filled(40, 0x11), unhex(burnView), filled(32, 0x22), u32(1), cause, filled(20, 0x33));

/** Makes transactions of a chain, with addresses of testnet, byte by byte, and says what a node says of them. Deterministic; no two are the same. */
export class TransactionBuilder {
  readonly #seed: string;
  readonly #chainId: number;
  #made = 0;

  constructor(seed = 'chain', chainId = TESTNET_CHAIN) {
    this.#seed = seed;
    this.#chainId = chainId;
  }

  /** A hash that nothing else has. */
  hash(): string {
    return sha(bytes(`${this.#seed} ${this.#made++}`));
  }

  /** A transfer with its event; account 9 pays account 7 a number of micro-STX that no other transfer has. */
  transfer({
    from = 9,
    to = 7,
    amount = 1_000 + this.#made,
    fee = 180,
    status = 'success',
  }: TransferOptions = {}): BuiltTx {
    const payload = bytes(0x00, standardPrincipal(ADDRESS_VERSION, to), u64(amount), filled(34, 0));
    const moved = {
      sender: accountAddress(from),
      recipient: accountAddress(to),
      amount: String(amount),
      memo: '00'.repeat(34),
    };
    return this.tx(payload, { from, fee, status, events: [{ type: 'stx_transfer_event', stx_transfer_event: moved }] });
  }

  coinbase(): BuiltTx {
    return this.tx(bytes(0x04, unhex(this.hash())), { from: 1, fee: 0 });
  }

  /**
   * By default a tenure extend (cause 1); cause 0 begins a tenure.
   * @param burnView consensus hash, 0x hex
   */
  tenureChange(burnView: string, cause = 1): BuiltTx {
    return this.tx(tenureChangePayload(burnView, cause), { from: 1, fee: 0 });
  }

  /** `account.contractName`, with an interface of one public function without arguments. */
  deploy(contractName: string, functionName: string, from = 9): BuiltTx {
    const contractInterface = {
      functions: [{ name: functionName, access: 'public', args: [], outputs: { type: 'bool' } }],
      variables: [],
      maps: [],
      fungible_tokens: [],
      non_fungible_tokens: [],
    };
    return this.tx(bytes(0x01, name(contractName), longText(`(define-public (${functionName}) (ok true))`)), {
      from,
      fields: { contract_interface: contractInterface },
    });
  }

  /** A call without arguments of a contract of an account. */
  call(contractName: string, functionName: string, { owner = 9, from = 8 } = {}): BuiltTx {
    return this.tx(bytes(0x02, ADDRESS_VERSION, filled(20, owner), name(contractName), name(functionName), u32(0)), {
      from,
    });
  }

  /** Any transaction by its payload bytes. No two have the same nonce. */
  tx(
    payload: Uint8Array,
    { from = 9, fee = 180, status = 'success', events = [] as BuiltTx['events'], fields = {} as BuiltTx['body'] } = {},
  ): BuiltTx {
    const condition = bytes(0x00, filled(20, from), u64(this.#made++), u64(fee), 0x00, filled(65, 0x01));
    const raw = wireTransaction({ ...this.#network(), auth: standardAuth(condition), payload });
    const txId = sha(raw);
    const place = { txid: txId, committed: true };
    return {
      txId,
      body: {
        txid: txId,
        raw_tx: toHex(raw),
        raw_result: OK_TRUE,
        status,
        contract_interface: null,
        execution_cost: COST,
        ...fields,
      },
      events: events.map(event => ({ ...place, ...event })),
    };
  }

  #network() {
    return { version: this.#chainId === MAINNET_CHAIN ? 0x00 : 0x80, chainId: this.#chainId };
  }
}
