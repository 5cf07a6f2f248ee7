import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import {
  readTransaction,
  type StoredTransaction,
  transactionV1,
  version1Text,
} from '../../../index/transactions/stored.ts';
import type { ORPHANED_TXS } from '../../../index/transactions/tables.ts';
import { MAX_INTEGER, normalHash } from '../../http/params.ts';
import { spellPrincipal } from '../../http/principals.ts';
import { isKnownAddress } from '../addresses/balance.ts';
import { now } from '../blocks/moment.ts';
import {
  type FoundBlock,
  findBlock,
  findByBlockHash,
  findByIndexBlockHash,
  highestKnownBlock,
} from '../blocks/queries.ts';
import { blockV1 } from '../blocks/record-v1.ts';
import { findDeployment } from '../contracts/queries.ts';
import {
  balanceWithPending,
  findMempoolTransaction,
  findPendingDeploy,
  type MempoolTransaction,
} from '../mempool/queries.ts';
import { orphanedTransaction } from '../transactions/orphaned.ts';
import { canonicalRecord } from '../transactions/queries.ts';

/** The entity with the id. */
export interface Found {
  /** The served result without `metadata`. */
  readonly result: {
    readonly entity_id: string;
    readonly entity_type: 'tx_id' | 'mempool_tx_id' | 'block_hash' | 'standard_address' | 'contract_address';
    readonly tx_data?: object;
    readonly block_data?: object;
  };
  /** JSON text; metadata that take time to render only with `include_metadata`. */
  readonly metadata?: string;
}

/** There is no entity with the id. */
interface Missed {
  /** The kind of the id. */
  readonly missing: MissingType;
  readonly error: string;
}

export const MISSING_TYPES = ['unknown_hash', 'standard_address', 'contract_address', 'invalid_term'] as const;
type MissingType = (typeof MISSING_TYPES)[number];

/** Looks up the entity with an id, without surrounding white space (searchByIdV1, docs/spec/search.md). */
export async function search(queries: Queries, text: string, withMetadata: boolean): Promise<Found | Missed> {
  const id = text.trim();
  const term = readTerm(id);
  switch (term.kind) {
    case 'hash':
      return (await findByHash(queries, term.hash, withMetadata)) ?? missed('unknown_hash', term.hash);
    case 'height':
      return (await findByBlockHeight(queries, term.height, withMetadata)) ?? missed('invalid_term', id);
    case 'contract':
      return (await findContract(queries, term.id, withMetadata)) ?? missed('contract_address', id);
    case 'address':
      return (await findAddress(queries, term.address, withMetadata)) ?? missed('standard_address', id);
    case 'invalid':
      return missed('invalid_term', id);
    default:
      return term satisfies never;
  }
}

function missed(missing: MissingType, id: string): Missed {
  switch (missing) {
    case 'unknown_hash':
      return { missing, error: `No block or transaction found with hash "${id}"` };
    case 'invalid_term':
      return {
        missing,
        error: `The term "${id}" is not a valid block hash, transaction ID, contract principal, or account address principal`,
      };
    default:
      return { missing, error: `No principal found with address "${id}"` };
  }
}

/**
 * A canonical transaction, else a pending one, else one of an orphaned block, else a dropped one, else a block
 * (docs/spec/search.md#search-by-hash).
 */
async function findByHash(queries: Queries, hash: string, withMetadata: boolean): Promise<Found | undefined> {
  const mined = foundTransaction(hash, await canonical(queries, hash), withMetadata);
  if (mined) return mined;
  const waiting = await findMempoolTransaction(queries, hash);
  if (waiting?.status === 'pending') return inMempool(waiting);
  return (
    foundTransaction(hash, await orphaned(queries, hash), withMetadata) ??
    (waiting && inMempool(waiting)) ??
    foundBlock(
      queries,
      (await findByBlockHash(queries, hash)) ?? (await findByIndexBlockHash(queries, hash)),
      withMetadata,
    )
  );
}

/** A transaction, and its text of version 1. */
interface Mined {
  readonly tx: StoredTransaction;
  readonly textV1: () => string;
}

/** A canonical transaction, whose text is stored and need not be rendered. */
async function canonical(queries: Queries, txId: string): Promise<Mined | undefined> {
  const record = await canonicalRecord(queries, txId);
  return record === undefined ? undefined : { tx: readTransaction(record), textV1: () => version1Text(record) };
}

/** @param block index block hash, 0x hex */
async function orphanedIn(queries: Queries, txId: string, block: string): Promise<Mined | undefined> {
  const tx = await orphanedTransaction(queries, txId, block);
  return tx && { tx, textV1: () => JSON.stringify(transactionV1(tx)) };
}

function foundTransaction(txId: string, found: Mined | undefined, withMetadata: boolean): Found | undefined {
  if (found === undefined) return undefined;
  const { tx_type, tx_id: _, ...place } = minedData(found.tx);
  return {
    result: { entity_id: txId, entity_type: 'tx_id', tx_data: { ...place, tx_type } },
    ...(withMetadata && { metadata: found.textV1() }),
  };
}

/** The fields of a confirmed transaction in a search result, in the emitted order of a contract. */
const minedData = (tx: StoredTransaction) => ({
  tx_type: tx.payload.type,
  tx_id: tx.txId,
  canonical: tx.canonical,
  block_hash: tx.blockHash,
  burn_block_time: tx.burnBlockTime,
  block_height: tx.blockHeight,
});

const inMempool = ({ txId, type, record }: MempoolTransaction): Found => ({
  result: { entity_id: txId, entity_type: 'mempool_tx_id', tx_data: { tx_type: type } },
  metadata: record,
});

async function findByBlockHeight(queries: Queries, height: number, withMetadata: boolean): Promise<Found | undefined> {
  const canonical = await findBlock(queries, { height });
  return foundBlock(queries, canonical && { canonical }, withMetadata);
}

async function foundBlock(
  queries: Queries,
  found: FoundBlock | undefined,
  withMetadata: boolean,
): Promise<Found | undefined> {
  if (!found) return undefined;
  const canonical = 'canonical' in found;
  const { record } = canonical ? found.canonical : found.orphan;
  const { hash, parent_block_hash, burn_block_time, height } = record;
  return {
    result: {
      entity_id: hash,
      entity_type: 'block_hash',
      block_data: { canonical, hash, parent_block_hash, burn_block_time, height },
    },
    ...(withMetadata && { metadata: JSON.stringify(await blockV1(queries, found)) }),
  };
}

/**
 * Finds a contract by its deployment; a pending one comes before one in a block. Without a deployment, it is found like an address, by its current
 * or former holdings (docs/spec/search.md#search-by-principal).
 */
async function findContract(queries: Queries, id: string, withMetadata: boolean): Promise<Found | undefined> {
  const identity = { entity_id: id, entity_type: 'contract_address' } as const;
  const pending = await findPendingDeploy(queries, id);
  if (pending) {
    const { txId, type, record } = pending;
    return { result: { ...identity, tx_data: { tx_type: type, tx_id: txId } }, metadata: record };
  }
  const deployment = await findDeployment(queries, id);
  if (!deployment) return findUndeployed(queries, id);
  const { txId, block } = deployment;
  const found = await (block === undefined ? canonical(queries, txId) : orphanedIn(queries, txId, block));
  if (found === undefined) return undefined;
  return {
    result: { ...identity, tx_data: minedData(found.tx) },
    ...(withMetadata && { metadata: found.textV1() }),
  };
}

/** A contract id without a deployment that moved STX or tokens, as anyone can send to it. */
async function findUndeployed(queries: Queries, id: string): Promise<Found | undefined> {
  const balance = await balanceWithPending(queries, id, await now(queries));
  const { total_received, total_sent, total_miner_rewards_received } = balance;
  const movesStx = [total_received, total_sent, total_miner_rewards_received].some(sum => sum !== '0');
  if (!movesStx && !(await queries.get('SELECT token FROM token_balances WHERE principal = ? LIMIT 1', [id])))
    return undefined;
  return { result: { entity_id: id, entity_type: 'contract_address' }, metadata: JSON.stringify(balance) };
}

async function findAddress(queries: Queries, address: string, withMetadata: boolean): Promise<Found | undefined> {
  if (!(await isKnownAddress(queries, address))) return undefined;
  const result = { entity_id: address, entity_type: 'standard_address' } as const;
  if (!withMetadata) return { result };
  const balance = await balanceWithPending(queries, address, await now(queries));
  return { result, metadata: JSON.stringify(balance) };
}

/** The kinds of entity that a text can name. Principals are in the spelling of the index. */
type Term =
  | { readonly kind: 'hash' /** 0x, lower case. */; readonly hash: string }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'contract'; readonly id: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'invalid' };

const HASH = /^(0x)?[0-9a-f]{64}$/i;

/**
 * Classifies a text without surrounding white space (docs/spec/search.md#terms): 64 hex digits are a hash, other digits a height, then any
 * text that parses as a principal is one. Bitcoin addresses and names are not recognised.
 */
export function readTerm(text: string): Term {
  if (HASH.test(text)) return { kind: 'hash', hash: normalHash(text) };
  if (/^[0-9]+$/.test(text)) return { kind: 'height', height: Math.min(Number(text), MAX_INTEGER) };
  const principal = spellPrincipal(text);
  if (principal === undefined) return { kind: 'invalid' };
  return principal.includes('.') ? { kind: 'contract', id: principal } : { kind: 'address', address: principal };
}

/** Most blocks of one transaction that are read; no chain has that many forks in parallel. */
const MAX_BLOCKS = 256;

/**
 * A transaction in the highest orphaned block that has it; a transaction that only microblocks had is not
 * found. Only for transactions that are not canonical, as every block found here is then orphaned.
 */
async function orphaned(queries: Queries, txId: string): Promise<Mined | undefined> {
  const sql = `SELECT block FROM orphaned_txs WHERE tx_id = ? ORDER BY block LIMIT ${MAX_BLOCKS}`;
  const rows = await queries.all<RowOf<typeof ORPHANED_TXS, 'block'>>(sql, [fromHex(txId) ?? null]);
  const block = await highestKnownBlock(
    queries,
    rows.map(row => toHex(row.block)),
  );
  return block && orphanedIn(queries, txId, block.index_block_hash);
}
