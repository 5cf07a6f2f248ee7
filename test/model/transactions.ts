import { decodeTransaction, type Transaction } from '../../src/base/codec/index.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import { type Network, operationAsTransaction } from './bitcoin-operations.ts';
import type { Block, Payload, Tx } from './world.ts';

/** What stands for the bytes of an operation from Bitcoin. */
export const NO_BYTES = '0x00';

export function decoded(raw: string): Transaction | undefined {
  const bytes = fromHex(raw);
  const result = bytes && decodeTransaction(bytes);
  return result?.ok ? result.value : undefined;
}

/**
 * The transactions of a block or of streamed microblocks, as they are served (docs/spec/ingestion.md#block-facts): what cannot
 * be decoded, and what is there already, is left out. `numberOf` gives the served `tx_index`.
 */
export function transactionsOf(
  payload: Payload,
  block: Block,
  network: Network,
  numberOf: (tx: Payload) => number,
): Tx[] {
  const txs = payload.transactions.map((tx: Payload): Tx | undefined => {
    const events = eventsThatCount(payload, tx);
    const what =
      tx.raw_tx === NO_BYTES ? operationAsTransaction(tx, events, block.burnHeight, network) : decoded(tx.raw_tx);
    if (!what) return undefined;
    const microblock =
      tx.microblock_hash === null || tx.microblock_hash === undefined
        ? undefined
        : { hash: tx.microblock_hash, parentHash: tx.microblock_parent_hash, sequence: tx.microblock_sequence };
    return {
      txId: tx.txid,
      raw: tx.raw_tx,
      decoded: what,
      payload: tx,
      events,
      block,
      index: numberOf(tx),
      microblock,
    };
  });
  const found = inOrder(txs.filter((tx: Tx | undefined) => tx !== undefined));
  return found.filter(
    ({ txId, raw, microblock }, i) =>
      raw === NO_BYTES ||
      !found
        .slice(0, i)
        .some(before => before.txId === txId && (block.hash !== '0x' || before.microblock?.hash === microblock?.hash)),
  );
}

/** Committed, of a successful transaction, in the order of the block; the array is in any order (docs/spec/ingestion.md#event-numbers). */
function eventsThatCount(payload: Payload, tx: Payload): Payload[] {
  if (tx.status !== 'success') return [];
  return payload.events
    .filter((event: Payload) => event.txid === tx.txid && event.committed)
    .sort((a: Payload, b: Payload) => a.event_index - b.event_index);
}

export const ANCHORED = 2147483647;

export const sequenceOf = (tx: Tx): number => tx.microblock?.sequence ?? ANCHORED;

/**
 * Chain order (docs/spec/ingestion.md#order-of-transactions): height, microblocks before what is anchored, number. Equals stay
 * as they are.
 */
export const inOrder = (txs: readonly Tx[]): Tx[] =>
  [...txs].sort((a, b) => a.block.height - b.block.height || sequenceOf(a) - sequenceOf(b) || a.index - b.index);
