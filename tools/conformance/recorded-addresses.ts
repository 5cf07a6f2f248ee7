import type { Block } from '../../test/model/world.ts';
import type { Json, Recorded } from '../../test/support/recording.ts';
import type { Correction } from './evidence.ts';
import { isStillPossible, type TxRecord, whatIsMined } from './recorded-pending.ts';
import { atChainTime } from './recorded-wrong.ts';

type Fields = { readonly [key: string]: Json };

const NONCES = /^\/extended\/v1\/address\/([^/?]+)\/nonces/;
const MEMPOOL = /^\/extended\/v1\/address\/([^/?]+)\/mempool/;

/** A nonce that is not above the last executed one is used: nothing with it is pending any more. */
const usedNonces: Correction = {
  reason: 'with a used nonce as pending',
  correct(recorded) {
    if (recorded.status !== 200 || !NONCES.test(recorded.path)) return undefined;
    const nonces = recorded.body as Fields;
    const { last_executed_tx_nonce: executed, last_mempool_tx_nonce: pending } = nonces;
    if (executed === null || pending === null || Number(pending) > Number(executed)) return undefined;
    return { ...recorded, body: { ...nonces, last_mempool_tx_nonce: null } };
  },
};

/** Nonces of the miner of a lost block, whose coinbase is recorded as pending. */
const coinbaseAsPending: Correction = {
  reason: 'with a coinbase as pending',
  correct(recorded, { responses: all }) {
    const [, principal = ''] = NONCES.exec(recorded.path) ?? [];
    const listed = pendingOf(all, principal);
    if (recorded.status !== 200 || listed.length === 0 || listed.some(tx => tx.tx_type !== 'coinbase'))
      return undefined;
    const nonces = recorded.body as Fields;
    const next = Number(nonces.last_executed_tx_nonce ?? -1) + 1;
    return { ...recorded, body: { ...nonces, last_mempool_tx_nonce: null, possible_next_nonce: next } };
  },
};

/** Pending transactions of a principal that other responses show as mined, or their nonce as used. */
const minedAsPending: Correction = {
  reason: 'with mined transactions as pending',
  correct(recorded, { responses: all }) {
    const [, principal] = MEMPOOL.exec(recorded.path) ?? [];
    if (principal === undefined || recorded.status !== 200) return undefined;
    const { limit, offset, total } = recorded.body as Fields;
    const listed = pendingOf(all, principal);
    const { mined, executed } = chainOf(all);
    const possible = listed.filter(
      tx => isStillPossible(tx, mined) && tx.nonce > (executed.get(tx.sender_address) ?? -1),
    );
    if (listed.length !== total || possible.length === listed.length) return undefined;
    const results = possible.slice(Number(offset), Number(offset) + Number(limit));
    return { ...recorded, body: { limit, offset, total: possible.length, results } as Json };
  },
};

/** What the recording shows of the pending transactions of a principal, the newest first. */
function pendingOf(all: readonly Recorded[], principal: string): TxRecord[] {
  const pages = all.filter(({ path, status }) => status === 200 && MEMPOOL.exec(path)?.[1] === principal);
  const records = pages.flatMap(({ body }) => (body as Fields).results as unknown as TxRecord[]);
  const byId = new Map(records.map(record => [record.tx_id, record]));
  return [...byId.values()].sort((a, b) => Number(b.receipt_time) - Number(a.receipt_time));
}

/** What the responses together show as mined, and the last executed nonces that they tell. */
interface Chain {
  readonly mined: ReturnType<typeof whatIsMined>;
  readonly executed: ReadonlyMap<string, number>;
}

const known = new WeakMap<readonly Recorded[], Chain>();

function chainOf(all: readonly Recorded[]): Chain {
  const before = known.get(all);
  if (before) return before;
  const executed = new Map<string, number>();
  for (const { path, status, body } of all) {
    const [, principal] = NONCES.exec(path) ?? [];
    if (principal !== undefined && status === 200 && !path.includes('?'))
      executed.set(principal, Number((body as Fields).last_executed_tx_nonce ?? -1));
  }
  const chain = { mined: whatIsMined(all), executed };
  known.set(all, chain);
  return chain;
}

/** The clock of the recordings stamps what is announced with times from here on, later than the chain's. */
const CLOCK = 1795176000;

/**
 * What comes back from a lost block has the block's time, which is before everything announced by that clock, whenever it was: no order
 * follows from such times. The comparator takes the times of a transaction from all responses together, so they are made equal in all.
 */
const twoClocks: Correction = {
  reason: 'with times of receipt from two clocks',
  correct(recorded, { responses: all }) {
    const ids = mixedIn(all);
    if (recorded.status !== 200 || ids.size === 0) return undefined;
    let changed = false;
    const timeless = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(timeless);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, timeless(member)]));
      if (fields.receipt_time === undefined || !ids.has(String(fields.tx_id))) return fields;
      changed = true;
      return { ...fields, receipt_time: CLOCK };
    };
    const body = timeless(recorded.body);
    return changed ? { ...recorded, body } : undefined;
  },
};

const LIST = /^\/extended\/v1\/(address\/[^/?]+|tx)\/mempool/;
const mixed = new WeakMap<readonly Recorded[], ReadonlySet<string>>();

/** The transactions of all lists that have both times. */
function mixedIn(all: readonly Recorded[]): ReadonlySet<string> {
  const before = mixed.get(all);
  if (before) return before;
  const lists = all
    .filter(({ path, status }) => status === 200 && LIST.test(path))
    .map(({ body }) => ((body as Fields).results ?? []) as unknown as TxRecord[]);
  const isAnnounced = (tx: TxRecord) => Number(tx.receipt_time) >= CLOCK;
  const found = lists.filter(list => list.some(isAnnounced) && !list.every(isAnnounced)).flat();
  const ids = new Set(found.map(tx => tx.tx_id));
  mixed.set(all, ids);
  return ids;
}

const ASSETS = /^\/extended\/v1\/address\/[^/?]+\/assets/;

/** Every lock in the lists of assets has the amount 1 and the height 1; the node tells others, and so do other responses of the recording. */
const lockedAmounts: Correction = {
  reason: 'with locks of 1 micro-STX',
  correct(recorded, { blocks }) {
    if (recorded.status !== 200 || !ASSETS.test(recorded.path)) return undefined;
    const page = recorded.body as Fields;
    const events = page.results as Fields[];
    if (!events.some(({ stx_lock_event: lock }) => lock !== undefined)) return undefined;
    const results = events.map(event => {
      const lock = event.stx_lock_event as Fields | undefined;
      if (lock === undefined) return event;
      return { ...event, stx_lock_event: { ...lock, ...lockOf(blocks, String(event.tx_id), lock) } };
    });
    return { ...recorded, body: { ...page, results } as Json };
  },
};

/** What the node told of a lock, where it told of it; no transaction of the archives locks twice for one address. */
function lockOf(blocks: readonly Block[], txId: string, { locked_address }: Fields): Fields {
  for (const { payload } of blocks)
    for (const { txid, stx_lock_event: lock } of payload.events ?? [])
      if (txid === txId && lock?.locked_address === locked_address)
        return { locked_amount: lock.locked_amount, unlock_height: Number(lock.unlock_height) };
  return {};
}

/** Of streamed microblocks, as in the other recording. */
const clockTimes: Correction = {
  reason: 'recorded by the clock',
  correct(recorded) {
    const body = atChainTime(recorded.body);
    return JSON.stringify(body) === JSON.stringify(recorded.body) ? undefined : { ...recorded, body };
  },
};

/** What the recordings of addresses have wrong. */
export const addressCorrections: readonly Correction[] = [
  coinbaseAsPending,
  usedNonces,
  minedAsPending,
  twoClocks,
  lockedAmounts,
  clockTimes,
];
