import type { Json, Recorded } from '../../test/support/recording.ts';

/** A transaction as lists show it. */
export interface Row {
  readonly [key: string]: Json;
  readonly tx_id: string;
  readonly sender_address: string;
  readonly nonce: number;
  readonly block_height: number;
  readonly microblock_sequence: number;
  readonly tx_index: number;
}

interface Page {
  readonly results: readonly Row[];
}

export const TRANSACTION_LIST = /^\/extended\/v1\/tx\/?(\?|$)/;
const OF_BLOCK = /^\/extended\/v2\/blocks\/[^/?]+\/transactions/;

/**
 * Every canonical transaction of a block that a recording shows in getTransactionListV1 or getTransactionsByBlockV2, newest first; those of
 * one place as they are listed.
 */
export function recordedRows(responses: readonly Recorded[]): Row[] {
  const pages = [TRANSACTION_LIST, OF_BLOCK].flatMap(route =>
    responses.filter(({ path, status }) => status === 200 && route.test(path)),
  );
  const rows = new Map<string, Row>();
  for (const row of pages.flatMap(({ body }) => (body as unknown as Page).results))
    if (row.block_hash !== '0x' && !rows.has(row.tx_id)) rows.set(row.tx_id, row);
  return [...rows.values()].sort((a, b) => inChainOrder(b, a));
}

/** Oldest first. */
export const inChainOrder = (a: Row, b: Row): number =>
  a.block_height - b.block_height || a.microblock_sequence - b.microblock_sequence || a.tx_index - b.tx_index;
