import { AppError } from '../../base/lib/app-error.ts';
import { readWhole } from '../node-proxy/exchange.ts';
import { NodeClient, type NodeLog } from '../node-proxy/node-client.ts';
import type { WalletSettings } from './settings.ts';

const TIMEOUT_MS = 30_000;

/** An error of the wallet: its code, as in `src/rpc/protocol.h` of Bitcoin Core. */
export class WalletError extends AppError {
  override readonly name = 'WalletError';
  override readonly kind = 'caller';
  readonly rpcCode: number;

  constructor(rpcCode: number, message: string) {
    super(message);
    this.rpcCode = rpcCode;
  }
}

/** The JSON-RPC of bitcoind, with a wallet that it has loaded. */
export class BitcoinWallet {
  readonly #client: NodeClient;
  readonly #path: string;
  readonly #authorization: string;

  constructor({ url, authorization }: WalletSettings, log: NodeLog) {
    const { origin, pathname } = new URL(url);
    this.#client = new NodeClient({ node: origin, maxConnections: 2 }, log, 'the Bitcoin wallet');
    this.#path = pathname;
    this.#authorization = authorization;
  }

  /**
   * @throws WalletError for a refusal of the wallet; NodeFault; Error for a response that is not JSON-RPC, as after a
   * wrong password
   */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '1.0', id: 'faucet', method, params }));
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...(this.#authorization && { authorization: this.#authorization }),
    };
    const response = await this.#client.send({
      method: 'POST',
      path: this.#path,
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
    });
    const text = (await readWhole(response)).toString();
    const { result, error } = responseIn(text, response.status);
    if (error) throw new WalletError(Number(error.code), `${method}: ${error.message}`);
    return result;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

interface RpcResponse {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | null;
}

function responseIn(text: string, status: number): RpcResponse {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed;
  } catch {}
  throw new Error(`the Bitcoin wallet answers ${status} without JSON-RPC`);
}
