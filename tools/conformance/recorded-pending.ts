import type { Json } from '../../test/support/recording.ts';

/**
 * Recorded pending lists that contradict their own recording: after a fork the recorded API lists transactions as pending
 * that it shows, in other responses, as mined in a canonical block, and others whose nonce such a transaction has used. They
 * are compared with what the recording itself says is left: the recorded list without them (getMempoolTransactionListV1), and its
 * fees (getMempoolFeePrioritiesV2). A search that shows one whose nonce is used (searchByIdV1) is compared with the same as
 * replaced by the transaction that used it.
 */

/** The members of a transaction's record that matter here. */
export interface TxRecord {
  readonly [key: string]: Json;
  readonly tx_id: string;
  readonly sender_address: string;
  readonly nonce: number;
  readonly fee_rate: string;
  readonly tx_type: string;
}

export interface RecordedResponse {
  readonly path: string;
  readonly status: number;
  readonly body: Json;
}

const LIST = /^\/extended\/v1\/tx\/mempool\/?(\?|$)/;
const FEES = /^\/extended\/v2\/mempool\/fees/;
const SEARCH = /^\/extended\/v1\/search\//;

/**
 * The responses, with those corrected that list transactions which are not pending, or leave out some that are.
 * @param others the responses of other routes in the same state: they show what the pages of the list miss
 */
export function withoutMined<A extends RecordedResponse>(
  responses: readonly A[],
  others: readonly RecordedResponse[] = [],
): { responses: A[]; changed: number } {
  const leftOut = wronglyReplaced([...others, ...responses]);
  const listed = [...pendingOf(responses, others), ...leftOut];
  const chain = whatIsMined(responses);
  const pending = listed.filter(tx => isStillPossible(tx, chain));
  if (pending.length === listed.length && leftOut.length === 0) return { responses: [...responses], changed: 0 };
  let changed = 0;
  const corrected = responses.map(response => {
    const found = SEARCH.test(response.path) ? withReplacement(response.body, chain) : undefined;
    if (found) {
      changed++;
      return { ...response, body: found };
    }
    if (response.status !== 200 || !(LIST.test(response.path) || FEES.test(response.path))) return response;
    changed++;
    return { ...response, body: FEES.test(response.path) ? feesOf(pending) : pageOf(pending, response.path) };
  });
  return { responses: corrected, changed };
}

/** Every transaction that some response lists as pending; of those that no page has, what other routes show. */
function pendingOf(responses: readonly RecordedResponse[], others: readonly RecordedResponse[]): TxRecord[] {
  const lists = responses.filter(({ path, status }) => status === 200 && LIST.test(path));
  const all = lists.flatMap(({ body }) => (body as { results: TxRecord[] }).results);
  // A page without arguments must not stand for the record.
  const full = all.filter(({ contract_call: call }) => !call || 'function_args' in (call as object));
  const byId = new Map(full.map(record => [record.tx_id, record]));
  const total = (lists[0]?.body as { total: number } | undefined)?.total ?? 0;
  if (byId.size < total)
    for (const record of recordsOf(others).values())
      if (record.tx_status === 'pending' && 'replaced_by_tx_id' in record) byId.set(record.tx_id, record);
  return byId.size === total ? [...byId.values()] : [];
}

/** What the responses together show as mined. */
export interface Mined {
  readonly txIds: ReadonlySet<string>;
  /** Which transaction used a nonce, `sender nonce`. */
  readonly usedNonces: ReadonlyMap<string, string>;
}

export function whatIsMined(responses: readonly RecordedResponse[]): Mined {
  const txIds = new Set<string>();
  const usedNonces = new Map<string, string>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      // Operations from Bitcoin are shown with nonce 0 and no fee, and use none.
      if (value.canonical === true && typeof value.tx_id === 'string' && typeof value.sender_address === 'string') {
        txIds.add(value.tx_id);
        if (value.fee_rate !== '0') usedNonces.set(`${value.sender_address} ${value.nonce}`, value.tx_id);
      }
      Object.values(value).forEach(visit);
    }
  };
  for (const { body } of responses) visit(body);
  return { txIds, usedNonces };
}

/** The nonces that a transaction uses: of its sender, and of its sponsor. */
const noncesOf = (tx: TxRecord): string[] => [
  `${tx.sender_address} ${tx.nonce}`,
  ...(tx.sponsored === true ? [`${tx.sponsor_address} ${tx.sponsor_nonce}`] : []),
];

const share = (a: TxRecord, b: TxRecord): boolean => noncesOf(a).some(nonce => noncesOf(b).includes(nonce));

/**
 * The transactions that these responses show as replaced by one that they show too, and that shares no nonce with them.
 * @returns them as pending
 */
export function wronglyReplaced(responses: readonly RecordedResponse[]): TxRecord[] {
  const known = recordsOf(responses);
  const mined = whatIsMined(responses);
  return [...known.values()].flatMap(tx => {
    const winner = known.get(String(tx.replaced_by_tx_id));
    if (tx.tx_status !== 'dropped_replace_by_fee' || !winner || share(tx, winner) || !isStillPossible(tx, mined))
      return [];
    return [pendingAgain(tx)];
  });
}

export const pendingAgain = (tx: TxRecord): TxRecord => ({ ...tx, tx_status: 'pending', replaced_by_tx_id: null });

/** A record without the arguments of its call must not stand for the transaction. */
const isWhole = ({ contract_call: call }: { readonly [key: string]: Json }): boolean =>
  typeof call !== 'object' || call === null || 'function_args' in call;

function recordsOf(responses: readonly RecordedResponse[]): Map<string, TxRecord> {
  const records = new Map<string, TxRecord>();
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if (typeof value.tx_id === 'string' && 'sender_address' in value && isWhole(value))
        records.set(value.tx_id, value as TxRecord);
      Object.values(value).forEach(visit);
    }
  };
  for (const { body } of responses) visit(body);
  return records;
}

/** Only the miner of a block can make these, for that block: they never are pending. */
const OF_MINERS = ['coinbase', 'tenure_change'];

/** Whether the transaction can wait, is not mined, nor another that used the nonce of its sender. */
export const isStillPossible = (tx: TxRecord, { txIds, usedNonces }: Mined): boolean =>
  !OF_MINERS.includes(tx.tx_type) && !txIds.has(tx.tx_id) && !usedNonces.has(`${tx.sender_address} ${tx.nonce}`);

/** The response of searchByIdV1 where it shows a transaction as pending whose nonce another has used; undefined where it does not. */
function withReplacement(body: Json, { usedNonces }: Mined): Json | undefined {
  const { result } = body as { result?: { metadata?: TxRecord } };
  const metadata = result?.metadata;
  if (metadata?.tx_status !== 'pending') return undefined;
  const user = usedNonces.get(`${metadata.sender_address} ${metadata.nonce}`);
  if (user === undefined || user === metadata.tx_id) return undefined;
  const replaced = { ...metadata, tx_status: 'dropped_replace_by_fee', replaced_by_tx_id: user };
  return { found: true, result: { ...result, metadata: replaced } };
}

/**
 * The response of getMempoolTransactionListV1 for these pending transactions. The time of receipt is not known: by age, any order is
 * as good.
 */
function pageOf(pending: readonly TxRecord[], path: string): Json {
  const query = new URL(path, 'http://localhost').searchParams;
  const limit = Number(query.get('limit') ?? 0) || 20;
  const offset = Number(query.get('offset') ?? 0);
  const matching = pending.filter(tx => passes(tx, query));
  if (query.get('order_by') === 'fee') matching.sort((a, b) => Number(a.fee_rate) - Number(b.fee_rate));
  if (query.get('order') !== 'asc') matching.reverse();
  const results = matching.slice(offset, offset + limit);
  return {
    limit,
    offset,
    total: matching.length,
    results: query.has('exclude_function_args') ? results.map(bare) : results,
  };
}

/** Whether getMempoolTransactionListV1 lists a pending transaction with these filters. */
export function passes(tx: TxRecord, query: URLSearchParams): boolean {
  const recipient = member(tx.token_transfer, 'recipient_address');
  const contract = member(tx.contract_call, 'contract_id') ?? member(tx.smart_contract, 'contract_id');
  const allow = (name: string, ...values: Json[]) => !query.has(name) || values.includes(query.get(name));
  return (
    allow('sender_address', tx.sender_address) &&
    allow('recipient_address', recipient) &&
    allow('address', tx.sender_address, recipient, contract)
  );
}

const member = (value: Json | undefined, name: string): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value[name] ?? null) : null;

function bare(tx: TxRecord): TxRecord {
  if (typeof tx.contract_call !== 'object' || tx.contract_call === null) return tx;
  const { function_args: _, ...call } = tx.contract_call as { [key: string]: Json };
  return { ...tx, contract_call: call };
}

const PERCENTILES = { no_priority: 25, low_priority: 50, medium_priority: 75, high_priority: 95 };

/** The response of getMempoolFeePrioritiesV2 for these pending transactions, in exact arithmetic: hundredths of a micro-STX, halves to even. */
function feesOf(pending: readonly TxRecord[]): Json {
  const priorities = (txs: readonly TxRecord[]): Json => {
    const fees = txs.map(tx => BigInt(tx.fee_rate)).sort((a, b) => (a < b ? -1 : 1));
    return Object.fromEntries(Object.entries(PERCENTILES).map(([name, percent]) => [name, percentile(fees, percent)]));
  };
  const types = ['token_transfer', 'contract_call', 'smart_contract'];
  const groups = types.map(type => [type, pending.filter(({ tx_type }) => tx_type === type)] as const);
  const present = groups.filter(([, txs]) => txs.length > 0).map(([type, txs]) => [type, priorities(txs)]);
  return { all: priorities(pending), ...Object.fromEntries(present) };
}

function percentile(fees: readonly bigint[], percent: number): number {
  const position = percent * (fees.length - 1);
  const below = fees[Math.floor(position / 100)] ?? 0n;
  const above = fees[Math.floor(position / 100) + 1] ?? below;
  const hundredths = below * 100n + (above - below) * BigInt(position % 100);
  const [whole, rest] = [hundredths / 100n, hundredths % 100n];
  return Number(rest > 50n || (rest === 50n && whole % 2n === 1n) ? whole + 1n : whole);
}
