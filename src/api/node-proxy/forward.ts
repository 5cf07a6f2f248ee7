import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tip } from '../../ingest/chain/tip.ts';
import type { ApiError } from '../http/errors.ts';
import { Broadcaster, type BroadcastParts, isBroadcast } from './broadcast.ts';
import { isDenied } from './deny.ts';
import { Exchange, plainPath } from './exchange.ts';
import { bodyTooLarge, NodeFault, nodeTimeout, nodeUnreachable, pathDenied, tooMuchForNode } from './faults.ts';
import { FeeEstimator, type FeeEstimatorParts, isFeeEstimate } from './fee-estimate.ts';
import { NodeClient, type NodeLog } from './node-client.ts';
import { declaredLength, HeldBytes } from './request-body.ts';
import type { NodeProxySettings } from './settings.ts';
import { SharedResponses } from './shared-responses.ts';

/** Paths for which the node computes, which may take longer. */
const SLOW = /^\/v2\/(contracts\/call-read\/|fees\/transaction$)/;

export interface NodeProxyParts extends Omit<BroadcastParts, 'endpointsFile' | 'height'> {
  readonly settings: NodeProxySettings;
  readonly log: NodeLog;
  readonly tip: () => Tip | undefined;
  readonly tenures: FeeEstimatorParts['tenures'];
  /** Milliseconds; a clock that runs evenly unless given. */
  readonly now?: () => number;
}

/** Forwards requests to the node, and its responses to the clients: bytes as they are, streamed both ways. */
export class NodeProxy {
  readonly #settings: NodeProxySettings;
  readonly #node: NodeClient;
  readonly #held: HeldBytes;
  readonly #broadcaster: Broadcaster;
  readonly #fees: FeeEstimator | undefined;
  readonly #shared: SharedResponses | undefined;
  #waiting = 0;

  constructor(parts: NodeProxyParts) {
    const { settings, log } = parts;
    this.#settings = settings;
    this.#node = new NodeClient(settings, log);
    this.#held = new HeldBytes(settings.maxHeldBytes);
    this.#broadcaster = new Broadcaster({
      ...parts,
      height: () => parts.tip()?.height,
      endpointsFile: settings.extraTxEndpoints,
    });
    this.#fees = settings.fees && new FeeEstimator({ ...parts, fees: settings.fees, node: this.#node });
    this.#shared = settings.shareResponses ? new SharedResponses(parts.tip, parts.now) : undefined;
  }

  /** Handles a request whose body is not read yet. @throws ApiError */
  async forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = pathOf(request.raw.url ?? '/');
    const plain = plainPath(path);
    const { deny, maxRequestBytes, maxWaiting } = this.#settings;
    if (isDenied(deny, request.method, plain)) throw refusal(reply, pathDenied(request.method, plain));
    if ((declaredLength(request) ?? 0) > maxRequestBytes) throw refusal(reply, bodyTooLarge(maxRequestBytes));
    if (this.#waiting >= maxWaiting) throw refusal(reply, tooMuchForNode());
    request.server.waitsElsewhere(request);
    this.#waiting++;
    try {
      return await this.#exchange(request, reply, path);
    } finally {
      this.#waiting--;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#node.close(), this.#broadcaster.close()]);
  }

  async #exchange(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
    const settings = this.#settings;
    const timeoutMs = SLOW.test(plainPath(path)) ? settings.slowTimeoutMs : settings.timeoutMs;
    const gone = new AbortController();
    const hangUp = () => gone.abort();
    reply.raw.once('close', hangUp);
    const { signal } = gone;
    try {
      return await this.#handle(
        new Exchange({ request, reply, path, timeoutMs, signal, settings, node: this.#node, held: this.#held }),
      );
    } catch (error) {
      if (signal.aborted) return reply.hijack(); // the client has disconnected
      throw refusal(reply, error instanceof NodeFault ? heard(error, timeoutMs) : error);
    } finally {
      reply.raw.off('close', hangUp);
    }
  }

  async #handle(exchange: Exchange): Promise<FastifyReply> {
    if (isBroadcast(exchange)) return this.#broadcaster.handle(exchange);
    if (this.#fees && isFeeEstimate(exchange)) return this.#fees.handle(exchange);
    return this.#shared?.handle(exchange) ?? exchange.pass(await exchange.forward());
  }
}

/** The rest of the body is not read: the connection ends with the response. */
function refusal<E>(reply: FastifyReply, error: E): E {
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  return error;
}

const heard = ({ failure }: NodeFault, timeoutMs: number): ApiError =>
  failure === 'timeout' ? nodeTimeout(timeoutMs) : nodeUnreachable();

/** Path and query of a request target, which may be a whole URL (RFC 9112 3.2.2). */
const pathOf = (target: string): string => target.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
