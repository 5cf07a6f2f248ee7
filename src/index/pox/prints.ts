import { decodePoxEvent, type PoxEvent } from '../../base/codec/index.ts';
import { fromHex } from '../../base/lib/hex.ts';
import type { BlockFacts } from '../../ingest/chain/block-facts.ts';
import type { Network } from '../../ingest/chain/network.ts';
import { poxContract } from './contracts.ts';

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

/** Those whose prints a node synthesises in one known form (docs/spec/pox.md#prints). Later ones print in forms of their own, PoX 1 nothing. */
const KNOWN_FORM = ['pox-2', 'pox-3', 'pox-4'];
/** The PoX prints of a block in chain order. Never throws: what does not decode has no event. */
export function poxPrints(block: Pick<BlockFacts, 'txs'>, network: Network): PoxPrint[] {
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
