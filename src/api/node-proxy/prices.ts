import { encodeClarityBuffer } from '../../base/codec/index.ts';
import { bootAddress, type Network } from '../../ingest/chain/network.ts';
import type { NodeRpc } from '../../ingest/node/rpc.ts';
import { ApiError } from '../http/errors.ts';
import { nodeUnreachable } from './faults.ts';

/** Bytes of the longest namespace and of the longest name in it. */
const LONGEST_NAMESPACE = 20;
const LONGEST_NAME = 48;

/** Prices of names of BNS version 1 in micro-STX, from the contract at the tip of the node. */
export class NamePrices {
  readonly #rpc: NodeRpc;
  readonly #contractId: string;

  constructor(rpc: NodeRpc, network: Network) {
    this.#rpc = rpc;
    this.#contractId = `${bootAddress(network)}.bns`;
  }

  /** @throws ApiError 400 for an invalid namespace, 502 without a price from the node */
  ofNamespace(namespace: string): Promise<bigint> {
    const invalid = invalidPrice('Invalid namespace', 'A namespace has 1 to 20 characters: a-z, 0-9, - and _');
    if (!fits(namespace, LONGEST_NAMESPACE)) throw invalid;
    return this.#call('get-namespace-price', [namespace], invalid);
  }

  /** @param name with its namespace. @throws ApiError as above */
  ofName(name: string): Promise<bigint> {
    const invalid = invalidPrice('Invalid name', 'A name has one dot, before a namespace that exists: muneeb.id');
    const [label = '', namespace = '', ...rest] = name.split('.');
    if (rest.length > 0 || !fits(label, LONGEST_NAME) || !fits(namespace, LONGEST_NAMESPACE)) throw invalid;
    return this.#call('get-name-price', [namespace, label], invalid);
  }

  async #call(functionName: string, texts: readonly string[], invalid: ApiError): Promise<bigint> {
    const args = texts.map(text => encodeClarityBuffer(Buffer.from(text)));
    const called = await this.#rpc.callReadOnly({ contractId: this.#contractId, functionName, args });
    if (!called.ok) throw called.error.kind === 'rejected' ? invalid : nodeUnreachable();
    const { value } = called;
    if (value.type === 'err') throw invalid;
    if (value.type !== 'ok' || value.value.type !== 'uint') throw nodeUnreachable();
    return value.value.value;
  }
}

const fits = (text: string, longest: number): boolean => text !== '' && Buffer.byteLength(text) <= longest;

const invalidPrice = (reason: string, message: string): ApiError => new ApiError(400, message, { reason });
