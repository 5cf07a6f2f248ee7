import type { Json, Recorded } from '../../test/support/recording.ts';
import { inChainOrder, type Row, recordedRows } from './recorded-rows.ts';

/**
 * Recorded histories (getAddressTransactionsV2) that leave out what the boot block did: of the boot address, of the contracts that it
 * deployed there, and of the miner of a boot block that has one. They are compared with the recorded history and the transactions of block 1
 * that other lists of the recording show and the history of their sender does not.
 */

interface Entry {
  readonly [key: string]: Json;
  readonly tx: Row;
}

interface History {
  readonly total: number;
  readonly results: readonly Entry[];
}

const HISTORY = /^\/extended\/v2\/addresses\/([^/]+)\/transactions(\?|$)/;

/** The responses, with these histories as they should be. */
export function withBootTransactions<A extends Recorded>(responses: readonly A[]): { responses: A[]; changed: number } {
  const histories = new Map<string, History>();
  const historyOf = (principal: string): History => {
    const history = histories.get(principal) ?? recordedHistory(responses, principal);
    histories.set(principal, history);
    return history;
  };
  const rows = recordedRows(responses).filter(
    row => row.block_height === 1 && isMissing(row, historyOf(row.sender_address)),
  );
  let changed = 0;
  const corrected = responses.map(response => {
    const principal = HISTORY.exec(response.path)?.[1];
    if (response.status !== 200 || principal === undefined) return response;
    const missing = rows.filter(row => concerns(row, principal));
    if (missing.length === 0) return response;
    changed++;
    return { ...response, body: completed(response, historyOf(principal), missing) };
  });
  return { responses: corrected, changed };
}

/** From the first entry on, as far as it is recorded. */
function recordedHistory(responses: readonly Recorded[], principal: string): History {
  const pages = responses
    .filter(({ path, status }) => status === 200 && HISTORY.exec(path)?.[1] === principal && !path.includes('offset='))
    .map(({ body }) => body as unknown as History)
    .filter(({ results }) => results.length > 0)
    .sort((a, b) => b.results.length - a.results.length);
  return pages[0] ?? { total: 0, results: [] };
}

/** Only a history that is recorded as a whole tells what it lacks. */
const isMissing = (row: Row, { total, results }: History): boolean =>
  results.length === total && !results.some(({ tx }) => tx.tx_id === row.tx_id);

/** Nothing in a boot block calls a contract. */
const concerns = ({ sender_address, smart_contract }: Row, principal: string): boolean =>
  sender_address === principal ||
  (smart_contract as { readonly contract_id: string } | undefined)?.contract_id === principal;

function completed({ path, body }: Recorded, { total, results }: History, missing: readonly Row[]): Json {
  const length = total + missing.length;
  // What is missing comes after a page that is full.
  if (results.length < total) return { ...(body as { [key: string]: Json }), total: length };
  const query = new URL(path, 'http://localhost').searchParams;
  const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
  const whole = [...results, ...missing.map(entryOf)].sort((a, b) => inChainOrder(b.tx, a.tx));
  return { limit, offset, total: length, results: whole.slice(offset, offset + limit) };
}

const NONE = { transfer: 0, mint: 0, burn: 0 };

/** None of them moves an asset of its sender or its contract, and none pays a fee. */
const entryOf = (tx: Row): Entry => ({
  tx,
  stx_sent: '0',
  stx_received: '0',
  events: { stx: NONE, ft: NONE, nft: NONE },
});
