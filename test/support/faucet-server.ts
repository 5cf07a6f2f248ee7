import type { TestContext } from 'node:test';
import { accountOf } from '../../src/api/faucet/transaction.ts';
import { createServer } from '../../src/api/http/server.ts';
import { addFaucetRoutesV1 } from '../../src/api/routes/extended/v1/faucets.ts';
import { addFaucetRoutesV3 } from '../../src/api/routes/extended/v3/faucets.ts';
import { transactionId } from '../../src/base/codec/index.ts';
import { respondJson, startStubNode } from './stub-node.ts';
import type { StubWallet } from './stub-wallet.ts';

const SBTC = { token: 'ST000000000000000000002AMW42H.sbtc-token::sbtc', amount: 10_000 };

/** A testnet address, and one of regtest. */
export const FAUCET_ADDRESS = 'ST2JHG361ZXG51QTKY2NQCVBPPRRE2KZB1HR05NNC';
export const FAUCET_BITCOIN_ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

export interface FaucetWorld {
  /** Why the node refuses; without it, it takes everything. */
  readonly reason?: string;
  /** Whether no node can be reached. */
  readonly isNodeAway?: boolean;
  /** Whether the server has faucets. */
  readonly enabled?: boolean;
  /** Micro-STX. */
  readonly amount?: number;
  /** Without it there is no faucet of BTC. */
  readonly wallet?: StubWallet | undefined;
}

/** Where nothing listens. */
export const NO_SERVER = 'http://127.0.0.1:9';

/** @returns posts to a faucet of version 3 */
export async function openFaucets(
  t: TestContext,
  { reason, isNodeAway = false, enabled = true, amount = 500_000_000, wallet }: FaucetWorld = {},
) {
  const node = await startStubNode(t, ({ url, body }, response) => {
    if (url.startsWith('/v2/accounts')) return respondJson(response, { nonce: 3 });
    if (url === '/v2/fees/transaction') return respondJson(response, {});
    if (reason !== undefined) return respondJson(response, { error: 'transaction rejected', reason }, 400);
    return respondJson(response, transactionId(body).slice(2));
  });
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  t.after(() => api.close());
  const url = isNodeAway ? NO_SERVER : node.url;
  const stx = { node: url, accounts: [accountOf('01'.repeat(32))], chainId: 0x80000000, amount };
  const btc = wallet && {
    url: `${wallet.node.url}/wallet/faucet`,
    authorization: wallet.authorization,
    amount: 12_345,
  };
  const parts = {
    settings: { stx, sbtc: SBTC, btc },
    nextNonce: async () => 0,
    onTaken: async () => undefined,
  };
  addFaucetRoutesV1(api, enabled ? parts : undefined);
  addFaucetRoutesV3(api, { faucet: enabled ? parts : undefined });
  return async (coin: string, payload: string, type = 'application/json') => {
    const url = `/extended/v3/faucets/${coin}`;
    const { statusCode, body } = await api.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });
    return { status: statusCode, body: JSON.parse(body) };
  };
}
