import { DEFAULT_DENIED, denyRules, parseDenyRule } from '../../api/node-proxy/deny.ts';
import { DEFAULT_FEES } from '../../api/node-proxy/fee-market.ts';
import { DEFAULT_NODE_PROXY, type NodeProxySettings } from '../../api/node-proxy/settings.ts';
import { fail, ok } from '../../base/lib/result.ts';
import { anyText, choice, decimalNumber, list, onOff, webUrl, wholeNumber } from './option-parsers.ts';
import type { Environment, OptionSpec, Parse, ValuesOf } from './option-spec.ts';

const denyList: Parse<readonly string[]> = text => {
  const rules = list(text);
  if (!rules.ok) return rules;
  const wrong = rules.value.map(parseDenyRule).find(rule => !rule.ok);
  return wrong === undefined || wrong.ok ? rules : fail(wrong.error);
};

const webUrlOrOff: Parse<string> = text => {
  const url = webUrl(text);
  return text === 'off' || url.ok ? ok(text) : fail(`${url.error}, or off`);
};

/** Also accepts true and false, as in the variable of the hosted API's software. */
const onOffOrBoolean: Parse<boolean> = text =>
  text === 'true' || text === '1' ? ok(true) : text === 'false' || text === '0' ? ok(false) : onOff(text);

/** Options about the node whose RPC is used. */
export const NODE_OPTIONS = {
  'node-rpc': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'URL',
    parse: webUrl,
    otherEnv: { names: ['STACKS_CORE_RPC_HOST', 'STACKS_CORE_RPC_PORT'], read: nodeRpcOfEnvironment },
    env: 'STACKS_INDEX_NODE_RPC',
    help: 'http://host:port of your Stacks node: gets the requests to /v2 and /v3, and supplies token metadata; if not set, neither is available',
  },
  'node-proxy': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'URL|off',
    parse: webUrlOrOff,
    otherEnv: { names: ['STACKS_CORE_PROXY_HOST', 'STACKS_CORE_PROXY_PORT'], read: nodeProxyOfEnvironment },
    env: 'STACKS_INDEX_NODE_PROXY',
    help: 'another node for the requests to /v2 and /v3, or off; the node of --node-rpc if not set',
  },
  'node-proxy-timeout': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'MS',
    parse: wholeNumber(100, 600_000),
    env: 'STACKS_INDEX_NODE_PROXY_TIMEOUT',
    default: String(DEFAULT_NODE_PROXY.timeoutMs),
    help: 'time in which the node must respond, in milliseconds; read-only calls and fee estimates may take twice as long',
  },
  'node-proxy-max-bytes': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'BYTES',
    parse: wholeNumber(1_000, 64 * 1024 * 1024),
    env: 'STACKS_INDEX_NODE_PROXY_MAX_BYTES',
    otherEnv: { names: ['STACKS_CORE_PROXY_BODY_LIMIT'], read: env => env.STACKS_CORE_PROXY_BODY_LIMIT || undefined },
    default: String(DEFAULT_NODE_PROXY.maxRequestBytes),
    help: 'largest body of a request that is forwarded, of any type',
  },
  'node-proxy-deny': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'PATHS',
    parse: denyList,
    env: 'STACKS_INDEX_NODE_PROXY_DENY',
    default: DEFAULT_DENIED.join(', '),
    help: 'paths that are not forwarded, separated by commas, optionally prefixed with a method (POST /v2/x); * matches any text',
  },
  'node-proxy-authorization': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'strip|pass',
    parse: choice('strip', 'pass'),
    env: 'STACKS_INDEX_NODE_PROXY_AUTHORIZATION',
    default: 'strip',
    help: 'whether the Authorization header of clients reaches the node, where it unlocks what is reserved for the operator',
  },
  'node-proxy-cache': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'on|off',
    parse: onOff,
    env: 'STACKS_INDEX_NODE_PROXY_CACHE',
    default: 'on',
    help: 'let equal requests share a response of the node where that is safe: read-only calls, contract sources and interfaces, /v2/info, /v2/pox',
  },
  'extra-tx-endpoints': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'FILE',
    parse: anyText,
    env: 'STACKS_API_EXTRA_TX_ENDPOINTS_FILE',
    help: 'file with further nodes that also get broadcasts, one URL a line; lines that begin with # are ignored; changes take effect without a restart',
  },
  'fee-estimator': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'on|off',
    parse: onOffOrBoolean,
    env: 'STACKS_CORE_FEE_ESTIMATOR_ENABLED',
    default: 'off',
    help: 'lower the fee estimates of the node to the minimum fee while blocks have room',
  },
  'fee-modifier': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'FACTOR',
    parse: decimalNumber(0, 1000),
    env: 'STACKS_CORE_FEE_ESTIMATION_MODIFIER',
    default: String(DEFAULT_FEES.modifier),
    help: 'factor for the estimates of the node while blocks are full',
  },
  'fee-current-blocks': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'BLOCKS',
    parse: wholeNumber(0, 10_000),
    env: 'STACKS_CORE_FEE_CURRENT_BLOCK_COUNT_MINIMUM',
    default: String(DEFAULT_FEES.currentBlocks),
    help: 'blocks that the current tenure needs to show on its own that there is room',
  },
  'fee-current-fullness': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'PART',
    parse: decimalNumber(0, 1),
    env: 'STACKS_CORE_FEE_CURRENT_DIMENSION_FULLNESS_THRESHOLD',
    default: String(DEFAULT_FEES.currentFullness),
    help: 'the current tenure has room below this part of each limit',
  },
  'fee-past-tenures': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'COUNT',
    parse: wholeNumber(1, 50),
    env: 'STACKS_CORE_FEE_PAST_TENURE_FULLNESS_WINDOW',
    default: String(DEFAULT_FEES.pastTenures),
    help: 'complete tenures whose average decides otherwise; newer ones weigh more',
  },
  'fee-past-fullness': {
    group: 'Node RPC',
    commands: ['serve'],
    value: 'PART',
    parse: decimalNumber(0, 1),
    env: 'STACKS_CORE_FEE_PAST_DIMENSION_FULLNESS_THRESHOLD',
    default: String(DEFAULT_FEES.pastFullness),
    help: 'their average has room below this part of each limit',
  },
} as const satisfies Record<string, OptionSpec>;

/** Undefined: requests to /v2 and /v3 have no node to go to. */
export function nodeProxyOptions(values: ValuesOf<typeof NODE_OPTIONS>): NodeProxySettings | undefined {
  const node = values.nodeProxy ?? values.nodeRpc;
  if (node === undefined || node === 'off') return undefined;
  return {
    ...DEFAULT_NODE_PROXY,
    node,
    deny: denyRules(values.nodeProxyDeny),
    passAuthorization: values.nodeProxyAuthorization === 'pass',
    shareResponses: values.nodeProxyCache,
    fees: values.feeEstimator
      ? {
          modifier: values.feeModifier,
          currentBlocks: values.feeCurrentBlocks,
          currentFullness: values.feeCurrentFullness,
          pastTenures: values.feePastTenures,
          pastFullness: values.feePastFullness,
        }
      : undefined,
    extraTxEndpoints: values.extraTxEndpoints,
    maxRequestBytes: values.nodeProxyMaxBytes,
    timeoutMs: values.nodeProxyTimeout,
    slowTimeoutMs: 2 * values.nodeProxyTimeout,
  };
}

/** The variables that operators of the hosted API's software have set for the node. */
function nodeRpcOfEnvironment(env: Environment): string | undefined {
  const host = env.STACKS_CORE_RPC_HOST;
  return host ? `http://${host}:${env.STACKS_CORE_RPC_PORT || '20443'}` : undefined;
}

/** The variables for the node that gets forwarded requests; missing parts are those of the other node. */
function nodeProxyOfEnvironment(env: Environment): string | undefined {
  if (!env.STACKS_CORE_PROXY_HOST && !env.STACKS_CORE_PROXY_PORT) return undefined;
  const host = env.STACKS_CORE_PROXY_HOST || env.STACKS_CORE_RPC_HOST || '127.0.0.1';
  return `http://${host}:${env.STACKS_CORE_PROXY_PORT || env.STACKS_CORE_RPC_PORT || '20443'}`;
}
