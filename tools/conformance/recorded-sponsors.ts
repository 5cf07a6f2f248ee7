import type { Json, Recorded } from '../../test/support/recording.ts';
import { passes, pendingAgain, type TxRecord } from './recorded-pending.ts';

/**
 * The recorded API gives a sponsored transaction the nonce of its sender for that of the sponsor too: of two that a sponsor pays for, at equal
 * nonces of two senders and different ones of its own, it shows one as replaced by the other. The chain accepts both. The proof
 * is the two recorded transactions: one names the other as what replaced it, and they share no nonce.
 */

const MEMPOOL = /^\/extended\/v1\/address\/([^/?]+)\/mempool/;

/** Responses of the sibling routes, with these transactions as pending: by their ids, and in the lists of addresses. */
export function withSponsorNonces(
  responses: readonly Recorded[],
  wrong: readonly TxRecord[],
): { readonly responses: readonly Recorded[]; readonly changed: number } {
  const ids = new Set(wrong.map(tx => tx.tx_id));
  if (ids.size === 0) return { responses, changed: 0 };
  let changed = 0;
  const corrected = responses.map(recorded => {
    const body = listOf(recorded, wrong) ?? shownPending(recorded.body, ids);
    if (JSON.stringify(body) === JSON.stringify(recorded.body)) return recorded;
    changed++;
    return { ...recorded, body };
  });
  return { responses: corrected, changed };
}

function shownPending(value: Json, ids: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map(item => shownPending(item, ids));
  if (typeof value !== 'object' || value === null) return value;
  if (ids.has(String(value.tx_id)) && 'replaced_by_tx_id' in value) return pendingAgain(value as TxRecord);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shownPending(item, ids)]));
}

/** The pending transactions of an address, as far as they fit on the recorded page. */
function listOf({ path, status, body }: Recorded, wrong: readonly TxRecord[]): Json | undefined {
  const [, address] = MEMPOOL.exec(path) ?? [];
  if (address === undefined || status !== 200) return undefined;
  const { limit, offset, total, results } = body as unknown as Page;
  const missing = wrong.filter(tx => passes(tx, new URLSearchParams({ address })));
  if (missing.length === 0) return undefined;
  const all = [...results, ...missing].sort((a, b) => Number(b.receipt_time) - Number(a.receipt_time));
  return { limit, offset, total: total + missing.length, results: all.slice(0, limit) };
}

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly total: number;
  readonly results: readonly TxRecord[];
}
