import { decodeTransaction } from '../../src/base/codec/index.ts';
import { fromHex } from '../../src/base/lib/hex.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction, Evidence } from './evidence.ts';
import { atChainTime, atEpoch } from './recorded-wrong.ts';

type Fields = { readonly [key: string]: Json };

/** What the canonical chain of an archive has. */
interface Mined {
  readonly txIds: ReadonlySet<string>;
  /** Which transaction used a nonce of its sender or of its sponsor: `address nonce`. */
  readonly users: ReadonlyMap<string, string>;
  /** Their status, and what replaced them, is what the node said. */
  readonly droppedByNode: ReadonlyMap<string, string | null>;
}

const known = new WeakMap<Evidence, Mined>();

function minedOf(evidence: Evidence): Mined {
  const before = known.get(evidence);
  if (before) return before;
  const txIds = new Set<string>();
  const users = new Map<string, string>();
  for (const { txid, raw_tx } of evidence.blocks.flatMap(({ payload }) => payload.transactions)) {
    txIds.add(txid);
    const decoded = decodeTransaction(fromHex(raw_tx) ?? new Uint8Array());
    if (!decoded.ok) continue;
    const { origin, sponsor } = decoded.value;
    for (const { address, nonce } of sponsor ? [sponsor, origin] : [origin]) users.set(`${address} ${nonce}`, txid);
  }
  const mined = { txIds, users, droppedByNode: evidence.droppedByNode };
  known.set(evidence, mined);
  return mined;
}

/** A record of the mempool, by what no confirmed transaction has. */
const isOfMempool = (value: Json): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && 'replaced_by_tx_id' in value;

/** Only a block can have these: they never wait. */
const NEVER_PENDING = ['coinbase', 'tenure_change'];

/** What becomes of a recorded transaction of the mempool by the canonical chain of the same archive; null where it is not in the mempool. */
function corrected(record: Fields, { txIds, users, droppedByNode }: Mined): Fields | null {
  if (NEVER_PENDING.includes(String(record.tx_type)) || txIds.has(String(record.tx_id))) return null;
  const slots = [`${record.sender_address} ${record.nonce}`, `${record.sponsor_address} ${record.sponsor_nonce}`];
  const user = slots.map(slot => users.get(slot)).find(txId => txId !== undefined);
  const said = record.tx_status === 'pending' ? undefined : droppedByNode.get(String(record.tx_id));
  if (said !== undefined) return record.replaced_by_tx_id === said ? record : { ...record, replaced_by_tx_id: said };
  if (user === undefined) return record;
  return record.replaced_by_tx_id === user
    ? record
    : { ...record, tx_status: 'dropped_replace_by_fee', replaced_by_tx_id: user };
}

const BY_ID = /^\/extended\/v1\/tx\/(0x)?[0-9a-f]{64}(\?|$)/;
const SEVERAL = /^\/extended\/v1\/tx\/multiple\?/;
const LISTS = /^\/extended\/v1\/tx\/mempool(\/dropped|\/stats)?\/?(\?|$)/;

/** Transactions as pending, or as replaced by another one, though the chain of the archive has used their nonce. */
const usedNonce: Correction = {
  reason: 'with a used nonce as pending',
  correct(recorded, evidence) {
    const { path, status, body } = recorded;
    if (status !== 200) return undefined;
    const mined = minedOf(evidence);
    if (BY_ID.test(path) && isOfMempool(body)) {
      const better = corrected(body, mined);
      if (better === null && !mined.txIds.has(String(body.tx_id)))
        return { ...recorded, status: 404, body: { error: 'Not Found' } };
      return better === null || better === body ? undefined : { ...recorded, body: better };
    }
    if (!SEVERAL.test(path)) return undefined;
    const entries = Object.entries(body as Record<string, Fields>).map(([id, entry]): [string, Json] => {
      const result = entry.result ?? null;
      const better = isOfMempool(result) ? corrected(result, mined) : result;
      return [id, better === null ? { found: false, result: { tx_id: id } } : { ...entry, result: better }];
    });
    const better = Object.fromEntries(entries);
    return JSON.stringify(better) === JSON.stringify(body) ? undefined : { ...recorded, body: better };
  },
};

/**
 * Lists and statistics of chains where such transactions are. Not all that the lists have was asked for, so what is left of them cannot be
 * told: status and keys are compared.
 */
const listsOfUsed: Correction = {
  reason: 'listing those with a used nonce',
  correct(recorded, evidence) {
    if (recorded.status !== 200 || !LISTS.test(recorded.path)) return undefined;
    const mined = minedOf(evidence);
    const isWrong = (value: Json): boolean => {
      if (isOfMempool(value)) return corrected(value, mined) !== value;
      return typeof value === 'object' && value !== null && Object.values(value).some(isWrong);
    };
    return evidence.responses.some(({ status, body }) => status === 200 && isWrong(body))
      ? ({ ...recorded, volatile: true } as Recorded)
      : undefined;
  },
};

/** The clock of the recording, as `block_time` of what microblocks streamed. */
const clock: Correction = {
  reason: 'with the time of the recording',
  correct(recorded) {
    const body = atChainTime(recorded.body);
    return JSON.stringify(body) === JSON.stringify(recorded.body) ? undefined : { ...recorded, body };
  },
};

/** The time 0 without its text. */
const epoch: Correction = {
  reason: 'without a text for the time 0',
  correct(recorded) {
    const body = atEpoch(recorded.body);
    return JSON.stringify(body) === JSON.stringify(recorded.body) ? undefined : { ...recorded, body };
  },
};

const BARE_HASH = /^(\/extended\/v1\/tx\/(?:block\/|multiple\?tx_id=))([0-9a-f]{64})$/;

/** Ids without `0x`, which are answered as with it. */
const withoutPrefix: Correction = {
  reason: 'for ids without 0x',
  correct(recorded, { responses }) {
    const [, start, digits] = BARE_HASH.exec(recorded.path) ?? [];
    if (start === undefined || recorded.status !== 400) return undefined;
    const asked = `${start}0x${digits}`;
    const twin = responses.find(({ path }) => path === asked || path === `${asked}?limit=20`);
    return twin && { ...recorded, status: twin.status, body: twin.body };
  },
};

const STATUS = /^\/extended\/v2\/smart-contracts\/status\?contract_id=([^&[]+)$/;

/** Several contracts in one parameter, which are answered as if it were repeated; an address, which is no contract, is refused. */
const contractLists: Correction = {
  reason: 'of contracts in one parameter',
  correct(recorded) {
    const ids = STATUS.exec(recorded.path)?.[1]?.split(',') ?? [];
    if (recorded.status === 200 && ids.some(id => !id.includes('.')))
      return { ...recorded, status: 400, body: { error: 'Bad Request' } };
    if (recorded.status !== 400 || ids.length < 2 || ids.some(id => !/^S[0-9A-Z]{20,41}\.[a-zA-Z][\w-]*$/.test(id)))
      return undefined;
    const body = Object.fromEntries(ids.map(id => [id, null]));
    return { ...recorded, status: 200, body, volatile: true } as Recorded;
  },
};

/** The list of all transactions, whose total leaves out those of the boot block, which it lists. */
const bootTransactions: Correction = {
  reason: 'with a total without boot transactions',
  correct(recorded, { others }) {
    if (recorded.status !== 200 || !/^\/extended\/v1\/tx\/?\?exclude_function_args=\w+$/.test(recorded.path))
      return undefined;
    const boot = others.find(({ height }) => height === 0)?.payload.transactions.length ?? 0;
    const { limit, offset, total, results } = recorded.body as Fields;
    const body = { limit, offset, total: Number(total) + boot, results } as Json;
    return boot === 0 ? undefined : { ...recorded, body };
  },
};

/** A filter in brackets, which is refused. */
const brackets: Correction = {
  reason: 'to be refused',
  correct: recorded =>
    recorded.status === 200 &&
    (/^\/extended\/v1\/tx\/events\?.*\btype\[\]=/.test(recorded.path) || recorded.path === '/v1/addresses/stacks/bogus')
      ? { ...recorded, status: 400, body: { error: 'Bad Request' } }
      : undefined,
};

/** What the recordings of transactions have wrong, or we do better. */
export const transactionCorrections: readonly Correction[] = [
  clock,
  usedNonce,
  listsOfUsed,
  withoutPrefix,
  contractLists,
  bootTransactions,
  brackets,
  epoch,
];
