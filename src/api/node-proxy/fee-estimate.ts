import type { FastifyReply } from 'fastify';
import type { Tip } from '../../ingest/chain/tip.ts';
import { tipVersion } from '../http/caching.ts';
import { type Exchange, plainPath, readWhole } from './exchange.ts';
import {
  blockLimitsOf,
  DEFAULT_BLOCK_LIMITS,
  type FeeSettings,
  hasFeeMarket,
  type TenureUsages,
} from './fee-market.ts';
import type { NodeClient, NodeLog } from './node-client.ts';

export interface FeeEstimatorParts {
  readonly fees: FeeSettings;
  readonly node: Pick<NodeClient, 'send'>;
  readonly log: NodeLog;
  readonly tip: () => Tip | undefined;
  /** Usage of the newest tenures; the first is the current one. */
  readonly tenures: (complete: number) => Promise<TenureUsages>;
}

/** Fewest micro-STX per byte that a node accepts. */
const LEAST_PER_BYTE = 1;
const POX_TIMEOUT_MS = 5000;

export const isFeeEstimate = ({ request, path }: Exchange): boolean =>
  request.method === 'POST' && /^\/v2\/fees\/transaction\/?$/.test(plainPath(path));

/** Corrects fee estimates of the node, which are too high while blocks are not full. */
export class FeeEstimator {
  readonly #parts: FeeEstimatorParts;
  /** Result for one tip. */
  #market: { readonly version: string; readonly exists: Promise<boolean> } | undefined;
  #limits = DEFAULT_BLOCK_LIMITS;

  constructor(parts: FeeEstimatorParts) {
    this.#parts = parts;
  }

  async handle(exchange: Exchange): Promise<FastifyReply> {
    const { body = Buffer.alloc(0) } = exchange;
    const response = await exchange.send();
    const exists = response.status === 200 ? this.#feeMarket() : undefined;
    if (exists === undefined) return exchange.pass(response);
    const responseBody = await exchange.readWhole(response);
    const corrected = await exists.then(
      market => correctedFees(responseBody.toString(), sizeOf(body), market ? this.#parts.fees.modifier : undefined),
      (error: unknown) => {
        this.#parts.log.warn({ err: error }, 'a fee estimate of the node is passed on unchanged');
        return responseBody;
      },
    );
    return exchange.respond(200, response.headers, Buffer.from(corrected));
  }

  /** Undefined while the index is empty. */
  #feeMarket(): Promise<boolean> | undefined {
    const tip = this.#parts.tip();
    if (tip === undefined) return undefined;
    const version = tipVersion(tip);
    if (this.#market?.version !== version) {
      const exists = this.#look();
      const market = { version, exists };
      this.#market = market;
      exists.catch(() => {
        if (this.#market === market) this.#market = undefined;
      });
    }
    return this.#market?.exists;
  }

  async #look(): Promise<boolean> {
    const { fees, tenures } = this.#parts;
    const [usages] = await Promise.all([tenures(fees.pastTenures), this.#readLimits()]);
    return hasFeeMarket(usages, this.#limits, fees);
  }

  /**
   * The limits change with an epoch, so they are read for each tip. If the node does not report them, the known ones
   * stay valid.
   */
  async #readLimits(): Promise<void> {
    const request = { method: 'GET', path: '/v2/pox', headers: {}, timeoutMs: POX_TIMEOUT_MS };
    const pox = await this.#parts.node
      .send(request)
      .then(readWhole)
      .then(body => JSON.parse(body.toString()) as unknown)
      .catch(() => undefined);
    this.#limits = blockLimitsOf(pox) ?? this.#limits;
  }
}

/** Size of the future transaction, from the request for its fee. */
function sizeOf(request: Buffer): number {
  try {
    const { transaction_payload: payload, estimated_len: length } = JSON.parse(request.toString()) as {
      readonly transaction_payload?: unknown;
      readonly estimated_len?: unknown;
    };
    const hex = typeof payload === 'string' ? payload.replace(/^0x/i, '') : '';
    return Math.max(typeof length === 'number' && Number.isFinite(length) ? length : 0, Math.ceil(hex.length / 2));
  } catch {
    return 0;
  }
}

/**
 * The response of the node with other fees; all other bytes stay.
 * @param modifier undefined: there is no fee market, and all fees are the least one
 */
function correctedFees(response: string, size: number, modifier: number | undefined): string {
  const least = size * LEAST_PER_BYTE;
  return response.replace(/("fee"\s*:\s*)(\d+)/g, (_, name: string, fee: string) => {
    const corrected = modifier === undefined ? least : Math.max(least, Math.round(Number(fee) * modifier));
    return `${name}${corrected}`;
  });
}
