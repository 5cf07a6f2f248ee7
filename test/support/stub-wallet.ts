import type { TestContext } from 'node:test';
import { respondJson, type StubNode, startStubNode } from './stub-node.ts';

/** The only transaction that the wallet sends. */
export const WALLET_TX_ID = '0f'.repeat(32);

export interface WalletRefusal {
  readonly code: number;
  readonly message: string;
}

export interface StubWallet {
  readonly node: StubNode;
  /** With user and password. */
  readonly url: string;
  readonly authorization: string;
  /** The requests, in order. */
  readonly calls: (readonly [method: string, ...params: unknown[]])[];
  readonly state: {
    chain: string;
    refuses: (method: string) => WalletRefusal | undefined;
    /** The largest number of concurrent requests. */
    mostInProgress: number;
  };
}

/** The JSON-RPC of bitcoind with a wallet, as far as a faucet uses it. */
export async function startStubWallet(t: Pick<TestContext, 'after'>): Promise<StubWallet> {
  const authorization = `Basic ${Buffer.from('user:pass').toString('base64')}`;
  const state: StubWallet['state'] = { chain: 'regtest', refuses: () => undefined, mostInProgress: 0 };
  const calls: [method: string, ...params: unknown[]][] = [];
  let inProgress = 0;
  const resultOf = (method: string): unknown => {
    if (method === 'getblockchaininfo') return { chain: state.chain };
    if (method === 'sendtoaddress') return WALLET_TX_ID;
    if (method === 'gettransaction') return { hex: '00ff' };
    if (method === 'scantxoutset') return { success: true, total_amount: 0.5001 };
    throw new Error(`no method ${method}`);
  };
  const node = await startStubNode(t as TestContext, ({ method: verb, url, headers, body }, response) => {
    if (verb !== 'POST' || url !== '/wallet/faucet') return void response.writeHead(404).end();
    if (headers.authorization !== authorization) return void response.writeHead(401).end();
    const { method, params } = JSON.parse(body.toString());
    calls.push([method, ...params]);
    state.mostInProgress = Math.max(state.mostInProgress, ++inProgress);
    const error = state.refuses(method) ?? null;
    setImmediate(() => {
      inProgress--;
      respondJson(response, { result: error ? null : resultOf(method), error }, error ? 500 : 200);
    });
  });
  return { node, url: `http://user:pass@127.0.0.1:${node.port}/wallet/faucet`, authorization, calls, state };
}
