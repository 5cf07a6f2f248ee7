import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tip } from '../../ingest/chain/tip.ts';
import type { Clients } from '../http/clients.ts';
import type { ApiError } from '../http/errors.ts';
import { hasBody } from '../http/received-bytes.ts';
import { Broadcaster, type BroadcastParts, isBroadcast } from './broadcast.ts';
import { isDenied } from './deny.ts';
import { Exchange, plainPath } from './exchange.ts';
import { bodyTooLarge, NodeFault, nodeTimeout, nodeUnreachable, pathDenied } from './faults.ts';
import { FeeEstimator, type FeeEstimatorParts, isFeeEstimate } from './fee-estimate.ts';
import { NodeClient, type NodeLog, type NodeRequest, type NodeResponse } from './node-client.ts';
import { NodeQueue } from './node-queue.ts';
import type { NodeProxySettings } from './settings.ts';
import { SharedResponses } from './shared-responses.ts';

/** Paths that need computation by the node, which may take longer. */
const SLOW = /^\/v2\/(contracts\/call-read\/|fees\/transaction$)/;

export interface NodeProxyParts extends Omit<BroadcastParts, 'endpointsFile' | 'height' | 'ledger'> {
  readonly settings: NodeProxySettings;
  readonly log: NodeLog;
  readonly clients: Pick<Clients, 'ledger' | 'turns'>;
  readonly tip: () => Tip | undefined;
  readonly tenures: FeeEstimatorParts['tenures'];
  /** Milliseconds; by default of a monotonic clock. */
  readonly now?: () => number;
}

/** Forwards complete requests to the node, and streams its responses to the clients without changing bytes. */
export class NodeProxy {
  readonly #settings: NodeProxySettings;
  readonly #node: NodeClient;
  readonly #queue: NodeQueue;
  readonly #clients: NodeProxyParts['clients'];
  readonly #broadcaster: Broadcaster;
  readonly #fees: FeeEstimator | undefined;
  readonly #shared: SharedResponses | undefined;

  constructor(parts: NodeProxyParts) {
    const { settings, log, clients } = parts;
    const { ledger } = clients;
    this.#settings = settings;
    this.#clients = clients;
    this.#node = new NodeClient({ node: settings.node, maxConnections: ledger.total('node_requests') }, log);
    this.#queue = new NodeQueue(ledger);
    this.#broadcaster = new Broadcaster({
      ...parts,
      ledger,
      height: () => parts.tip()?.height,
      endpointsFile: settings.extraTxEndpoints,
    });
    this.#fees =
      settings.fees &&
      new FeeEstimator({ ...parts, fees: settings.fees, node: { send: request => this.#sendOurs(request) } });
    this.#shared = settings.shareResponses ? new SharedResponses(parts.tip, parts.now) : undefined;
  }

  /** Refuses a request whose body is not read yet. @throws ApiError 403, 413 */
  check({ raw, method, headers }: FastifyRequest, reply: FastifyReply): void {
    const path = plainPath(pathOf(raw.url ?? '/'));
    const { deny, maxRequestBytes } = this.#settings;
    const isTooLarge = Number(headers['content-length'] ?? 0) > maxRequestBytes;
    const isRefused = isDenied(deny, method, path);
    if (!isRefused && !isTooLarge) return;
    if (hasBody(raw)) reply.header('connection', 'close'); // the body is not read
    throw isRefused ? pathDenied(method, path) : bodyTooLarge(maxRequestBytes);
  }

  async close(): Promise<void> {
    await Promise.all([this.#node.close(), this.#broadcaster.close()]);
  }

  /** Handles a request that is complete. @throws ApiError */
  async forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const settings = this.#settings;
    const path = pathOf(request.raw.url ?? '/');
    request.server.waitsElsewhere(request);
    const timeoutMs = SLOW.test(plainPath(path)) ? settings.slowTimeoutMs : settings.timeoutMs;
    const gone = new AbortController();
    // In turns: a hundred clients may disconnect at once, and each closes a connection to the node.
    const hangUp = async () => {
      if (reply.raw.writableFinished) return;
      await this.#clients.turns.pause('clients that left');
      gone.abort();
    };
    reply.raw.once('close', hangUp);
    const { signal } = gone;
    try {
      return await this.#handle(
        new Exchange({
          request,
          reply,
          path,
          timeoutMs,
          signal,
          settings,
          node: this.#node,
          queue: this.#queue,
          clients: this.#clients,
        }),
      );
    } catch (error) {
      if (signal.aborted || reply.raw.destroyed) return reply.hijack(); // the client has disconnected
      throw error instanceof NodeFault ? heard(error, timeoutMs) : error;
    } finally {
      reply.raw.off('close', hangUp);
    }
  }

  async #handle(exchange: Exchange): Promise<FastifyReply> {
    if (isBroadcast(exchange)) return this.#broadcaster.handle(exchange);
    if (this.#fees && isFeeEstimate(exchange)) return this.#fees.handle(exchange);
    return this.#shared?.handle(exchange) ?? exchange.pass(await exchange.send());
  }

  /** Sends a request of this server, not of a client. */
  async #sendOurs(request: NodeRequest): Promise<NodeResponse> {
    return this.#node.send({ ...request, place: await this.#queue.enter(undefined, request.timeoutMs) });
  }
}

const heard = ({ failure }: NodeFault, timeoutMs: number): ApiError =>
  failure === 'timeout' ? nodeTimeout(timeoutMs) : nodeUnreachable();

/** Path and query of a request target, which may be a whole URL (RFC 9112 3.2.2). */
const pathOf = (target: string): string => target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
