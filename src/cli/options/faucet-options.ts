import type { FaucetSettings, WalletSettings } from '../../api/faucet/settings.ts';
import { accountOf } from '../../api/faucet/transaction.ts';
import { fail } from '../../base/lib/result.ts';
import { networkOf } from '../../ingest/chain/network.ts';
import { list, matching, webUrl, wholeNumber } from './option-parsers.ts';
import type { Environment, OptionSpec, Parse, ValuesOf } from './option-spec.ts';

const privateKeys: Parse<readonly string[]> = text => {
  const keys = list(text);
  const areKeys = keys.ok && keys.value.every(key => /^[0-9a-fA-F]{64}(01)?$/.test(key) && isKey(key));
  return areKeys ? keys : fail('private keys of 64 hex digits, perhaps with 01 after them, separated by commas');
};

const PRINCIPAL_WITH_ASSET = /^S[TN][0-9A-Z]{26,40}\.[a-zA-Z][\w-]{0,127}::[a-zA-Z][\w!?+<>=/*-]{0,127}$/;

const ALL_SATOSHIS = 21_000_000 * 100_000_000;

/** Options of the faucets for test networks. */
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
    help: 'node that gets the transfers of the faucet; the node of --node-rpc if not set',
  },
  'faucet-stx-amount': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'N',
    parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    default: '500000000',
    env: 'TESTNET_STX_FAUCET_AMOUNT',
    help: 'micro-STX for each request without stacking',
  },
  'faucet-sbtc-token': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'TOKEN',
    parse: matching(PRINCIPAL_WITH_ASSET, 'a token of a test network, as ADDRESS.CONTRACT::ASSET'),
    env: 'TESTNET_SBTC_FAUCET_ASSET_IDENTIFIER',
    help: 'token that the sBTC faucet pays, as ADDRESS.CONTRACT::ASSET; no sBTC faucet if not set',
  },
  'faucet-sbtc-amount': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'N',
    parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    default: '10000',
    env: 'TESTNET_SBTC_FAUCET_AMOUNT',
    help: 'amount of it for each request, in its smallest unit',
  },
  'faucet-btc-amount': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'N',
    parse: wholeNumber(1, ALL_SATOSHIS),
    default: '10000',
    env: 'TESTNET_BTC_FAUCET_AMOUNT',
    help: 'satoshis for each request without large or xlarge',
  },
  'faucet-btc-wallet': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'URL',
    parse: webUrl,
    secret: true,
    environmentOnly: true,
    env: 'STACKS_INDEX_FAUCET_BTC_WALLET',
    otherEnv: { names: ['BTC_RPC_HOST', 'BTC_RPC_PORT', 'BTC_RPC_USER', 'BTC_RPC_PW'], read: walletOfEnvironment },
    help: 'bitcoind with a wallet that the faucet pays BTC from, as http://user:password@host:18443/wallet/NAME; on test networks only',
  },
} as const satisfies Record<string, OptionSpec>;

type Values = ValuesOf<typeof FAUCET_OPTIONS> & {
  readonly nodeRpc: string | undefined;
  readonly chainId: number | undefined;
};

/** Undefined on mainnet, and without an account to pay from. */
export function faucetOptions(values: Values): FaucetSettings | undefined {
  const {
    faucetPrivateKey: keys,
    faucetNode,
    nodeRpc,
    chainId,
    faucetSbtcToken: token,
    faucetBtcWallet: wallet,
  } = values;
  const { faucetStxAmount, faucetSbtcAmount, faucetBtcAmount } = values;
  // Without it `serve` reads its options again once the chain is known.
  if (chainId === undefined || networkOf(chainId) === 'mainnet') return undefined;
  const node = faucetNode ?? nodeRpc;
  const stx =
    keys !== undefined && node !== undefined
      ? { node, chainId, accounts: keys.map(accountOf), amount: faucetStxAmount }
      : undefined;
  const sbtc = stx && token !== undefined ? { token, amount: faucetSbtcAmount } : undefined;
  const btc = wallet === undefined ? undefined : { ...walletOf(wallet), amount: faucetBtcAmount };
  return stx === undefined && btc === undefined ? undefined : { stx, sbtc, btc };
}

/** User and password go into a header: a URL may be logged. */
function walletOf(text: string): WalletSettings {
  const { origin, pathname, username, password } = new URL(text);
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = username === '' ? '' : `Basic ${Buffer.from(user).toString('base64')}`;
  return { url: origin + pathname, authorization };
}

/** Zero and numbers beyond the order of the curve are not keys. */
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

function walletOfEnvironment(env: Environment): string | undefined {
  const { BTC_RPC_HOST: host, BTC_RPC_PORT: port, BTC_RPC_USER: user = '', BTC_RPC_PW: password = '' } = env;
  const account = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return host ? `http://${account}${host}:${port || '18443'}` : undefined;
}
