import { networkOf } from '../chain/network.ts';
import type { FaucetSettings } from '../faucet/stx-faucet.ts';
import { accountOf } from '../faucet/transfer.ts';
import { fail } from '../lib/result.ts';
import { list, webUrl } from './option-parsers.ts';
import type { Environment, OptionSpec, Parse, ValuesOf } from './option-spec.ts';

const privateKeys: Parse<readonly string[]> = text => {
  const keys = list(text);
  const areKeys = keys.ok && keys.value.every(key => /^[0-9a-fA-F]{64}(01)?$/.test(key) && isKey(key));
  return areKeys ? keys : fail('private keys of 64 hex digits, perhaps with 01 after them, separated by commas');
};

/** Options about giving STX away. */
export const FAUCET_OPTIONS = {
  'faucet-private-key': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'KEYS',
    parse: privateKeys,
    secret: true,
    environmentOnly: true,
    env: 'FAUCET_PRIVATE_KEY',
    help: 'private keys of the accounts that the faucet pays from, separated by commas; on test networks only',
  },
  'faucet-node': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'URL',
    parse: webUrl,
    env: 'STACKS_INDEX_FAUCET_NODE',
    otherEnv: { names: ['STACKS_FAUCET_NODE_HOST', 'STACKS_FAUCET_NODE_PORT'], read: faucetNodeOfEnvironment },
    help: 'node that transfers of the faucet are sent to; the one of --node-rpc if not set',
  },
} as const satisfies Record<string, OptionSpec>;

type Values = ValuesOf<typeof FAUCET_OPTIONS> & { readonly nodeRpc: string | undefined; readonly chainId: number };

/** Undefined on mainnet, without a key, and without a node. */
export function faucetOptions({ faucetPrivateKey, faucetNode, nodeRpc, chainId }: Values): FaucetSettings | undefined {
  const node = faucetNode ?? nodeRpc;
  if (faucetPrivateKey === undefined || node === undefined || networkOf(chainId) === 'mainnet') return undefined;
  return { node, chainId, accounts: faucetPrivateKey.map(accountOf) };
}

/** Zero and numbers beyond the order of the curve are none. */
function isKey(hex: string): boolean {
  try {
    accountOf(hex);
    return true;
  } catch {
    return false;
  }
}

function faucetNodeOfEnvironment(env: Environment): string | undefined {
  const host = env.STACKS_FAUCET_NODE_HOST;
  return host ? `http://${host}:${env.STACKS_FAUCET_NODE_PORT || env.STACKS_CORE_RPC_PORT || '20443'}` : undefined;
}
