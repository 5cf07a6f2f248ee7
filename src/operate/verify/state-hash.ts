import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { toHex } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import { ACCOUNTS } from '../../index/addresses/tables.ts';
import { BNS2_NAMES, NAMES, NAMESPACES } from '../../index/names/tables.ts';
import { NFT_OWNERS } from '../../index/nft/tables.ts';
import { TOKEN_BALANCES } from '../../index/token-balances/tables.ts';
import { allEvents } from '../../index/transactions/event-parts.ts';
import { readTransaction } from '../../index/transactions/stored.ts';
import type { TX_BODIES, TXS } from '../../index/transactions/tables.ts';
import type { KNOWN_BLOCKS } from '../../ingest/indexer/known-blocks.ts';
import { pagedRows, tableRows } from './pages.ts';

/*
 * A hash of the canonical chain as an index shows it, which two operators can compare in one line. It identifies records by public values (hashes, ids,
 * principals, assets), never by numbers of rows. So it is the same on both engines, whatever the order in which blocks came, and whichever branches were lost.
 * docs/operations.md#the-state-hash has the definition.
 */

/** Number of the definition below. It changes with the hashed data; hashes of two definitions cannot be compared. */
const DEFINITION = 1;

const SUBJECTS = ['blocks', 'transactions', 'events', 'balances', 'owners', 'names'] as const;
type Subject = (typeof SUBJECTS)[number];

export interface StateHash {
  /** `1-` and 64 hex digits: the definition, and the SHA-256 of those of the subjects. */
  readonly hash: string;
  /** SHA-256 of each subject, as hex: they show in which subject two indexes differ. */
  readonly subjects: Readonly<Record<Subject, string>>;
}

/** The values of a record that are hashed, in this order. */
type Line = readonly (string | number | null)[];

/** @param signal its reason is thrown between two pages */
export async function stateHash(index: Queries, signal?: AbortSignal): Promise<StateHash> {
  const hashes = new Map(SUBJECTS.map(subject => [subject, createHash('sha256')]));
  let lines = 0;
  const add = async (subject: Subject, line: Line): Promise<void> => {
    hashes.get(subject)?.update(`${JSON.stringify(line)}\n`);
    if (++lines % LINES_AT_ONCE !== 0) return;
    await setImmediate();
    signal?.throwIfAborted();
  };
  for await (const line of blocksOf(index)) await add('blocks', line);
  await addTransactions(index, add);
  for await (const line of balancesOf(index)) await add('balances', line);
  for await (const line of ownersOf(index)) await add('owners', line);
  for await (const line of namesOf(index)) await add('names', line);
  const subjects = Object.fromEntries(
    [...hashes].map(([subject, hash]) => [subject, hash.digest('hex')]),
  ) as StateHash['subjects'];
  const all = createHash('sha256');
  for (const subject of SUBJECTS) all.update(`${subject} ${subjects[subject]}\n`);
  return { hash: `${DEFINITION}-${all.digest('hex')}`, subjects };
}

/** Lines after which other work of the process gets a turn, as SQLite is synchronous. */
const LINES_AT_ONCE = 1_000;

type BlockRow = Pick<
  RowOf<typeof KNOWN_BLOCKS>,
  'height' | 'index_block_hash' | 'parent_index_block_hash' | 'block_hash' | 'burn_block_hash'
>;

async function* blocksOf(index: Queries): AsyncIterable<Line> {
  const sql = `SELECT b.seq, k.height, k.index_block_hash, k.parent_index_block_hash, k.block_hash, k.burn_block_hash
    FROM blocks b JOIN known_blocks k ON k.arrival = b.known`;
  for await (const row of pagedRows<BlockRow & { readonly seq: number }>(index, { sql, key: ['seq'], alias: 'b' }))
    yield [
      row.height,
      toHex(row.index_block_hash),
      toHex(row.parent_index_block_hash),
      toHex(row.block_hash),
      toHex(row.burn_block_hash),
    ];
}

type TransactionRow = RowOf<typeof TXS, 'seq' | 'record'> & RowOf<typeof TX_BODIES, 'events'>;

async function addTransactions(index: Queries, add: (subject: Subject, line: Line) => Promise<void>): Promise<void> {
  const sql = 'SELECT t.seq, t.record, b.events FROM txs t JOIN tx_bodies b ON b.seq = t.seq';
  const rows = pagedRows<TransactionRow>(index, { sql, key: ['seq'], alias: 't', pageSize: 200 });
  for await (const { seq, record, events: packed } of rows) {
    const tx = readTransaction(record);
    const { txId, blockHeight, txIndex, sender, nonce, fee, status, result } = tx;
    await add('transactions', [blockHeight, txIndex, txId, sender, nonce, fee, status, result.hex]);
    for (const event of await allEvents(index, seq, packed)) {
      const facts: [string, unknown][] = Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1));
      await add('events', [txId, JSON.stringify(facts)]);
    }
  }
}

async function* balancesOf(index: Queries): AsyncIterable<Line> {
  const ofStx = ['received', 'sent', 'fees', 'rewards'] as const;
  for await (const { principal, received, sent, fees, rewards } of tableRows(index, ACCOUNTS, ofStx))
    yield [principal, 'stx', received, sent, fees, rewards];
  for await (const { principal, kind, token, received, sent } of tableRows(index, TOKEN_BALANCES, ['received', 'sent']))
    yield [principal, kind, token, received, sent];
}

async function* ownersOf(index: Queries): AsyncIterable<Line> {
  for await (const { asset, token, owner } of tableRows(index, NFT_OWNERS, ['owner']))
    yield [asset, toHex(token), owner];
}

async function* namesOf(index: Queries): AsyncIterable<Line> {
  const last = ['name', 'owner', 'status', 'height', 'zonefile_hash', 'address', 'tx_id', 'expires'] as const;
  for await (const row of tableRows(index, NAMES, last)) yield ['v1', ...last.map(column => textOf(row[column]))];
  const last2 = ['name', 'owner', 'status', 'height', 'tx_id', 'renewal_height'] as const;
  for await (const row of tableRows(index, BNS2_NAMES, last2))
    yield ['v2', row.id, ...last2.map(column => textOf(row[column]))];
  for await (const { namespace, lifetime, ready_at } of tableRows(index, NAMESPACES, ['lifetime', 'ready_at']))
    yield ['namespace', toHex(namespace), lifetime, ready_at];
}

const textOf = (value: string | number | Uint8Array | null): string | number | null =>
  value instanceof Uint8Array ? toHex(value) : value;
