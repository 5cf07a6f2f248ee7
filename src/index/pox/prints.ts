import {
  type ClarityTuple,
  type ClarityValue,
  decodeClarityValue,
  decodePoxEvent,
  type PoxEvent,
  tupleMember,
} from '../../base/codec/index.ts';
import { fromHex, toHex } from '../../base/lib/hex.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import { bootAddress, type Network } from '../../ingest/chain/network.ts';

const NAMES = ['pox', 'pox-2', 'pox-3', 'pox-4', 'pox-5', 'pox-6', 'pox-7', 'pox-8', 'pox-9'];

const CONTRACTS: ReadonlyMap<string, string> = new Map(
  NAMES.flatMap(name =>
    (['mainnet', 'testnet'] as const).map(network => [`${bootAddress(network)}.${name}`, name] as const),
  ),
);

/**
 * The name of a PoX contract, such as `pox-4`; undefined for any other contract. The boot address of either network counts on
 * any chain (docs/spec/pox.md#pox-contracts).
 */
export const poxContract = (contractId: string): string | undefined => CONTRACTS.get(contractId);

/** A print of one of the PoX contracts. */
export interface PoxPrint {
  /** `pox-2`, `pox-3` ... */
  readonly contract: string;
  readonly txId: string;
  readonly txIndex: number;
  readonly eventIndex: number;
  readonly value: Uint8Array;
  /** The decoded print; null for `(err ...)`, and for anything but a known print of pox-2, pox-3 or pox-4. */
  readonly event: PoxEvent | null;
}

/** Contracts whose prints a node synthesises in one known form (docs/spec/pox.md#prints). Later contracts print in forms of their own, PoX 1 prints nothing. */
const KNOWN_FORM = ['pox-2', 'pox-3', 'pox-4'];
/** The PoX prints of a block in chain order. Never throws: a print that does not decode has no event. */
export function poxPrints(
  block: { readonly txs: readonly Pick<TransactionFacts, 'txId' | 'txIndex' | 'events'>[] },
  network: Network,
): PoxPrint[] {
  const prints: PoxPrint[] = [];
  for (const { txId, txIndex, events } of block.txs) {
    for (const event of events) {
      const contract = event.kind === 'log' && event.topic === 'print' ? poxContract(event.contractId) : undefined;
      if (event.kind !== 'log' || contract === undefined || contract === 'pox') continue;
      const value = fromHex(event.value) ?? new Uint8Array();
      const decoded = KNOWN_FORM.includes(contract) ? decodePoxEvent(value, network) : undefined;
      prints.push({
        contract,
        txId,
        txIndex,
        eventIndex: event.index,
        value,
        event: decoded?.ok ? decoded.value : null,
      });
    }
  }
  return prints;
}

/**
 * A print of PoX 5: a tuple with a topic (docs/spec/staking.md#prints). Reading a member as a kind that it does not have gives
 * undefined.
 */
export class StakingPrint {
  readonly topic: string;
  readonly #members: ClarityTuple;

  private constructor(topic: string, members: ClarityTuple) {
    this.topic = topic;
    this.#members = members;
  }

  /** Undefined for any other value. Never throws. @param value the printed Clarity value */
  static read(value: Uint8Array): StakingPrint | undefined {
    const decoded = decodeClarityValue(value);
    if (!decoded.ok || decoded.value.type !== 'tuple') return undefined;
    const topic = tupleMember(decoded.value, 'topic');
    return topic?.type === 'string-ascii' ? new StakingPrint(topic.value, decoded.value) : undefined;
  }

  value(name: string): ClarityValue | undefined {
    return tupleMember(this.#members, name);
  }

  uint(name: string): bigint | undefined {
    const value = this.value(name);
    return value?.type === 'uint' ? value.value : undefined;
  }

  principal(name: string): string | undefined {
    const value = this.value(name);
    return value?.type === 'principal' ? value.value : undefined;
  }

  bool(name: string): boolean | undefined {
    const value = this.value(name);
    return value?.type === 'bool' ? value.value : undefined;
  }

  /** 0x hex. */
  buffer(name: string): string | undefined {
    const value = this.value(name);
    return value?.type === 'buffer' ? toHex(value.value) : undefined;
  }
}
