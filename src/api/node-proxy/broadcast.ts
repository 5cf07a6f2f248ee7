import type { FastifyReply } from 'fastify';
import { transactionId } from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import type { ClientLedger } from '../http/clients.ts';
import { type Exchange, plainPath } from './exchange.ts';
import { Multicast } from './multicast.ts';
import type { NodeLog } from './node-client.ts';

export interface BroadcastParts {
  readonly log: NodeLog;
  readonly ledger: ClientLedger;
  /** A file with further nodes that get broadcasts; undefined: no further nodes. */
  readonly endpointsFile: string | undefined;
  /** Height of the tip of the index, for the log. */
  readonly height: () => number | undefined;
  /** Called when the node has accepted a transaction (id as 0x hex) into its mempool. Resolves when the index shows it, or after a time limit. */
  readonly onTaken: (txId: string, rawTx: Uint8Array) => Promise<void>;
}

export const isBroadcast = ({ request, path }: Exchange): boolean =>
  request.method === 'POST' && /^\/v2\/transactions\/?$/.test(plainPath(path));

/**
 * `POST /v2/transactions`: sends the transaction to the node, and to all further nodes without waiting for them. A
 * transaction that the node accepts is in the mempool of the index before the client gets the response.
 */
export class Broadcaster {
  readonly #parts: BroadcastParts;
  readonly #multicast: Multicast | undefined;

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
    this.#multicast =
      parts.endpointsFile === undefined ? undefined : new Multicast(parts.endpointsFile, parts.log, parts.ledger);
  }

  async handle(exchange: Exchange): Promise<FastifyReply> {
    const type = exchange.request.headers['content-type'];
    const { body = Buffer.alloc(0) } = exchange;
    this.#multicast?.send(exchange.request.client, type, body);
    const response = await exchange.send();
    if (response.status !== 200) return exchange.pass(response);
    const responseBody = await exchange.readWhole(response);
    await this.#taken(responseBody, () => rawTransaction(type, body));
    return exchange.respond(200, response.headers, responseBody);
  }

  async close(): Promise<void> {
    await this.#multicast?.close();
  }

  async #taken(responseBody: Buffer, rawTxOf: () => Uint8Array | undefined): Promise<void> {
    const txid = txIdOf(responseBody);
    if (txid === undefined) return;
    const rawTx = rawTxOf(); // an accepted body is as small as a transaction
    this.#parts.log.info({ txid, height: this.#parts.height() }, 'Transaction broadcasted');
    // The node confirms a transaction by its id, so no other bytes get into the index.
    if (!rawTx || transactionId(rawTx) !== txid) return;
    await this.#parts
      .onTaken(txid, rawTx)
      .catch((error: unknown) =>
        this.#parts.log.warn(
          { err: error, txid },
          'a broadcast was not journaled; it shows when the node announces it',
        ),
      );
  }
}

/** The id in the node's response: a JSON string, without 0x. */
function txIdOf(responseBody: Buffer): string | undefined {
  const [, id] = /^\s*"(?:0x)?([0-9a-f]{64})"\s*$/i.exec(responseBody.toString('latin1')) ?? [];
  return id && `0x${id.toLowerCase()}`;
}

/** The transaction of a broadcast: bytes, or hex in JSON. Undefined for any other body. */
function rawTransaction(type: string | undefined, body: Buffer): Uint8Array | undefined {
  if (!/^application\/json\b/i.test(type ?? '')) return body;
  try {
    const { tx } = JSON.parse(body.toString()) as { readonly tx?: unknown };
    return typeof tx === 'string' ? fromHex(tx) : undefined;
  } catch {
    return undefined;
  }
}
