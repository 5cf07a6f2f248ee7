import { DEFAULT_DENIED, type DenyRule, denyRules } from './deny.ts';
import type { FeeSettings } from './fee-market.ts';

/**
 * The node to which `/v2/*` and `/v3/*` are forwarded, and the requests that it may get. Sizes in bytes, times in
 * milliseconds.
 */
export interface NodeProxySettings {
  /** `http://host:port`; a path in it goes before that of each request. */
  readonly node: string;
  /** Requests that get a 403. */
  readonly deny: readonly DenyRule[];
  /** Whether the header Authorization reaches the node: it opens paths that the node reserves for its operator. */
  readonly passAuthorization: boolean;
  /** Whether equal requests share a response where that is safe (shared-responses.ts). */
  readonly shareResponses: boolean;
  /** Largest body of a request, of any type; more is a 413. */
  readonly maxRequestBytes: number;
  /** Correction of fee estimates; undefined: no correction. */
  readonly fees: FeeSettings | undefined;
  /** Path of a file with further nodes that get broadcasts, one URL a line; undefined: no further nodes. */
  readonly extraTxEndpoints: string | undefined;
  /** From the request until the head of the node's response, and between two pieces of its body; more is a 504. */
  readonly timeoutMs: number;
  /** The same for requests for which the node computes: read-only calls and fee estimates. */
  readonly slowTimeoutMs: number;
}

export const DEFAULT_NODE_PROXY: Omit<NodeProxySettings, 'node'> = {
  deny: denyRules(DEFAULT_DENIED),
  passAuthorization: false,
  shareResponses: true,
  maxRequestBytes: 10_000_000,
  fees: undefined,
  extraTxEndpoints: undefined,
  timeoutMs: 30_000,
  slowTimeoutMs: 60_000,
};
