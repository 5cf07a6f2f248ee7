import type { FastifyBaseLogger } from 'fastify';
import { LoopTurns, type LoopTurnsOptions } from '../../base/lib/loop-turns.ts';
import { ClientAddresses, type Subnet } from '../../base/net/client-address.ts';
import { type Allowance, Ledger, type Refusal } from '../../base/net/ledger.ts';
import { ApiError, overloaded } from './errors.ts';

/**
 * Limits on the resources that all clients of the API together hold in one process. One address gets at most `maxShare` of each total, or
 * less if a limit for one address is lower. docs/reliability.md#what-a-client-may-hold has the table.
 */
export interface ClientLimits {
  /** The part of each total that one client address may hold, above 0 up to 1. */
  readonly maxShare: number;
  readonly maxConnections: number;
  /** Requests without a response yet: they wait for their turn or for the database, and hold memory. */
  readonly maxConcurrentRequests: number;
  /** Bytes of request bodies that have arrived and are still in use. */
  readonly maxReceivedBytes: number;
  /** Bytes of response bodies that are not sent yet. */
  readonly maxUnsentBytes: number;
  readonly maxUnsentBytesPerClient: number;
  /** Clients of live updates, of all channels together. */
  readonly maxStreams: number;
  readonly maxStreamsPerAddress: number;
  /** Topics and subscriptions of these clients. */
  readonly maxSubscriptions: number;
  /**
   * Replays of the log from an older position that run at once; others wait. Each may hold a snapshot over many turns, and SQLite has
   * four connections for all reads.
   */
  readonly maxReplays: number;
  /** Downloads of lists: each reads page after page as fast as its client takes them. */
  readonly maxDownloads: number;
  /** Requests that the node works on. */
  readonly maxNodeRequests: number;
  /** Requests that wait for the node, beside those that it works on. */
  readonly maxWaitingForNode: number;
  /** Faucet transfers that wait for their turn, and scans for balances of BTC: bitcoind runs one at a time. */
  readonly maxFaucetTransfers: number;
  readonly maxFaucetScans: number;
}

export const DEFAULT_CLIENT_LIMITS: ClientLimits = {
  maxShare: 1 / 4,
  maxConnections: 10_000,
  maxConcurrentRequests: 1000,
  maxReceivedBytes: 64 * 1024 * 1024,
  maxUnsentBytes: 64 * 1024 * 1024,
  maxUnsentBytesPerClient: 8 * 1024 * 1024,
  maxStreams: 5000,
  maxStreamsPerAddress: 20,
  maxSubscriptions: 200_000,
  maxReplays: 2,
  maxDownloads: 16,
  maxNodeRequests: 128,
  maxWaitingForNode: 1000,
  maxFaucetTransfers: 100,
  maxFaucetScans: 10,
};

export type ClientResource =
  | 'connections'
  | 'requests'
  | 'received_bytes'
  | 'unsent_bytes'
  | 'streams'
  | 'subscriptions'
  | 'replays'
  | 'downloads'
  | 'node_requests'
  | 'unread_from_node'
  | 'waiting_for_node'
  | 'faucet_transfers'
  | 'faucet_scans';

export type ClientLedger = Ledger<ClientResource>;

/** The clients of an API server: their addresses, the resources that they hold, and the turns of their work. */
export interface Clients {
  readonly addresses: ClientAddresses;
  readonly ledger: ClientLedger;
  readonly turns: LoopTurns;
}

/** Share of the requests to the node whose responses may wait for slow readers. */
const MOST_UNREAD = 3 / 4;
/** Shortest time between two log lines about one resource: clients of many addresses would fill the log. */
const FULL_SHARE_LOG_MS = 60_000;

interface ClientsOptions {
  readonly limits?: Partial<ClientLimits>;
  /** Proxies in front of this server. */
  readonly trustProxy?: readonly Subnet[];
  /** Processes that serve this port; each gets an equal part of all totals. */
  readonly processes?: number;
  readonly logger?: Pick<FastifyBaseLogger, 'warn'>;
  readonly turns?: LoopTurnsOptions;
}

export function createClients(options: ClientsOptions = {}): Clients {
  const { trustProxy = [], processes = 1, logger, turns = {} } = options;
  const limits = { ...DEFAULT_CLIENT_LIMITS, ...options.limits };
  const reportedAt = new Map<string, number>();
  const onFullShare = (resource: string, address: string) => {
    const now = Date.now();
    if (now - (reportedAt.get(resource) ?? 0) < FULL_SHARE_LOG_MS) return;
    reportedAt.set(resource, now);
    logger?.warn(
      { resource, address },
      'one address has held its full share for a minute; if it is a proxy of yours, name it with --trust-proxy',
    );
  };
  const ledger: ClientLedger = new Ledger(allowancesOf(limits, processes), { onFullShare });
  // More than one: the request that runs a loop must not make its own loop wait.
  const isAwaited = () => ledger.held('requests') > 1;
  return { addresses: new ClientAddresses(trustProxy), ledger, turns: new LoopTurns({ isAwaited, ...turns }) };
}

function allowancesOf(limits: ClientLimits, processes: number): Readonly<Record<ClientResource, Allowance>> {
  const inThisProcess = (most: number): number => (most === 0 ? 0 : Math.max(1, Math.floor(most / processes)));
  const of = (most: number, mostOfAddress = most): Allowance => {
    const total = inThisProcess(most);
    const share = total === 0 ? 0 : Math.max(1, Math.floor(total * limits.maxShare));
    return { total, perAddress: Math.min(share, inThisProcess(mostOfAddress)) };
  };
  const requests = of(limits.maxConcurrentRequests);
  const nodeRequests = of(limits.maxNodeRequests);
  const unreadFromNode = Math.ceil(MOST_UNREAD * nodeRequests.total);
  return {
    connections: { ...of(limits.maxConnections), replacesOwn: true },
    // At least two: a page of the explorer, and one of the requests that it makes.
    requests: { ...requests, perAddress: Math.min(requests.total, Math.max(2, requests.perAddress)) },
    received_bytes: of(limits.maxReceivedBytes),
    unsent_bytes: of(limits.maxUnsentBytes, limits.maxUnsentBytesPerClient),
    streams: of(limits.maxStreams, limits.maxStreamsPerAddress),
    subscriptions: of(limits.maxSubscriptions),
    replays: of(limits.maxReplays),
    downloads: of(limits.maxDownloads),
    node_requests: { ...nodeRequests, replacesEqual: true }, // only slow readers are ever replaced
    unread_from_node: {
      total: unreadFromNode,
      perAddress: Math.min(unreadFromNode, nodeRequests.perAddress),
      replacesOwn: true,
    },
    waiting_for_node: of(limits.maxWaitingForNode),
    faucet_transfers: of(limits.maxFaucetTransfers),
    faucet_scans: of(limits.maxFaucetScans),
  };
}

/** The response to a client that the ledger refused. @param retryAfter seconds */
export const refusedBy = (refusal: Refusal, what: string, retryAfter = 1): ApiError =>
  refusal === 'total'
    ? overloaded(retryAfter)
    : new ApiError(429, `Your address has too many ${what} at once. Try again in ${retryAfter} s`, {
        code: 'TOO_MANY_AT_ONCE',
        retryAfter,
      });
