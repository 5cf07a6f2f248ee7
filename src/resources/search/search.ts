import { parsePrincipal } from '../../codec/index.ts';
import { normalHash } from '../../http/params.ts';
import { fromHex, toHex } from '../../lib/hex.ts';
import type { Queries } from '../../store/database.ts';
import type { RowOf } from '../../store/table.ts';
import { addressBalance, isKnownAddress, withPending } from '../addresses/balance.ts';
import { blockV1 } from '../blocks/block-v1.ts';
import { findByBlockHash, highestKnownBlock } from '../blocks/queries.ts';
import type { BlockRecord } from '../blocks/record.ts';
import { findDeployment } from '../contracts/queries.ts';
import { findMempoolTransaction, findPendingDeploy, pendingSums } from '../mempool/queries.ts';
import { type ORPHANED_TXS, orphanedDeployment } from '../transactions/orphans.ts';
import { canonicalTransaction } from '../transactions/queries.ts';
import { TX_TYPES, type TxType } from '../transactions/tables.ts';

/** What has the id. */
export interface Found {
  /** As it is served, but for `metadata`. */
  readonly result: {
    readonly entity_id: string;
    readonly entity_type: 'tx_id' | 'mempool_tx_id' | 'block_hash' | 'standard_address' | 'contract_address';
    readonly tx_data?: object;
    readonly block_data?: object;
  };
  /** JSON text. */
  readonly metadata?: string;
}

/** Nothing has the id. */
interface Missed {
  /** What kind of id it is. */
  readonly missing: MissingType;
  readonly error: string;
}

export const MISSING_TYPES = ['unknown_hash', 'standard_address', 'contract_address', 'invalid_term'] as const;
type MissingType = (typeof MISSING_TYPES)[number];

/** Looks up what a text stands for, white space around it left out (searchById, docs/spec/search.md). */
export async function search(queries: Queries, text: string, withMetadata: boolean): Promise<Found | Missed> {
  const id = text.trim();
  const term = readTerm(id);
  switch (term.kind) {
    case 'hash':
      return (await findByHash(queries, term.hash, withMetadata)) ?? missed('unknown_hash', term.hash);
    case 'contract':
      return (await findContract(queries, term.id)) ?? missed('contract_address', id);
    case 'address':
      return (await findAddress(queries, term.address, withMetadata)) ?? missed('standard_address', id);
    case 'invalid':
      return missed('invalid_term', id);
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

const findByHash = async (queries: Queries, hash: string, withMetadata: boolean): Promise<Found | undefined> =>
  (await findTransaction(queries, hash, withMetadata)) ??
  (await findInMempool(queries, hash, withMetadata)) ??
  (await findBlock(queries, hash, withMetadata));

/** With metadata a transaction that only orphaned blocks have is not found here, but perhaps in the mempool. */
async function findTransaction(queries: Queries, txId: string, withMetadata: boolean): Promise<Found | undefined> {
  const identity = { entity_id: txId, entity_type: 'tx_id' } as const;
  const record = await canonicalTransaction(queries, txId);
  if (record !== undefined) {
    const { tx_type, tx_id: _, ...place } = minedData(record);
    return { result: { ...identity, tx_data: { ...place, tx_type } }, metadata: record };
  }
  const orphan = withMetadata ? undefined : await findOrphaned(queries, txId);
  if (!orphan) return undefined;
  const { hash: block_hash, burn_block_time, height: block_height } = orphan.block;
  const place = { canonical: false, block_hash, burn_block_time, block_height };
  return { result: { ...identity, tx_data: { ...place, tx_type: orphan.type } } };
}

/** What search tells of a confirmed transaction, keys in the emitted order of a contract. */
function minedData(record: string) {
  const { tx_type, tx_id, canonical, block_hash, burn_block_time, block_height } = JSON.parse(record) as MinedRecord;
  return { tx_type, tx_id, canonical, block_hash, burn_block_time, block_height };
}

interface MinedRecord {
  readonly tx_type: string;
  readonly tx_id: string;
  readonly canonical: boolean;
  readonly block_hash: string;
  readonly burn_block_time: number;
  readonly block_height: number;
}

/** Without metadata a dropped transaction is not found. */
async function findInMempool(queries: Queries, txId: string, withMetadata: boolean): Promise<Found | undefined> {
  const tx = await findMempoolTransaction(queries, txId);
  if (!tx || (tx.status !== 'pending' && !withMetadata)) return undefined;
  return {
    result: { entity_id: txId, entity_type: 'mempool_tx_id', tx_data: { tx_type: tx.type } },
    metadata: tx.record,
  };
}

async function findBlock(queries: Queries, blockHash: string, withMetadata: boolean): Promise<Found | undefined> {
  const found = await findByBlockHash(queries, blockHash);
  if (!found) return undefined;
  const canonical = 'canonical' in found;
  const record = JSON.parse(canonical ? found.canonical.record : found.orphan.record) as BlockRecord;
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
 * A contract is found by its deployment alone; one that waits comes before one that a block has
 * (docs/spec/search.md#search-by-principal).
 */
async function findContract(queries: Queries, id: string): Promise<Found | undefined> {
  const identity = { entity_id: id, entity_type: 'contract_address' } as const;
  const pending = await findPendingDeploy(queries, id);
  if (pending) {
    const { txId, type, record } = pending;
    return { result: { ...identity, tx_data: { tx_type: type, tx_id: txId } }, metadata: record };
  }
  const deployment = await findDeployment(queries, id);
  if (!deployment) return undefined;
  const { txId, block } = deployment;
  const record =
    block === undefined ? await canonicalTransaction(queries, txId) : await orphanedDeployment(queries, txId, block);
  return record === undefined ? undefined : { result: { ...identity, tx_data: minedData(record) }, metadata: record };
}

async function findAddress(queries: Queries, address: string, withMetadata: boolean): Promise<Found | undefined> {
  if (!(await isKnownAddress(queries, address))) return undefined;
  const result = { entity_id: address, entity_type: 'standard_address' } as const;
  if (!withMetadata) return { result };
  const balance = withPending(await addressBalance(queries, address), await pendingSums(queries, address));
  return { result, metadata: JSON.stringify(balance) };
}

/** What a text can stand for. Principals are looked up as they were written. */
type Term =
  | { readonly kind: 'hash' /** 0x, lower case. */; readonly hash: string }
  | { readonly kind: 'contract'; readonly id: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'invalid' };

const HASH = /^(0x)?[0-9a-f]{64}$/i;

/**
 * Classifies a text without white space around it (docs/spec/search.md#terms): 64 hex digits are a hash, then
 * whatever passes for a principal is one. Heights, Bitcoin addresses and names are nothing.
 */
export function readTerm(text: string): Term {
  if (HASH.test(text)) return { kind: 'hash', hash: normalHash(text) };
  const principal = parsePrincipal(text);
  if (principal === undefined) return { kind: 'invalid' };
  return principal.contractName === null ? { kind: 'address', address: text } : { kind: 'contract', id: text };
}

/** A transaction that only orphaned blocks have, and the one of them it is shown in. */
interface OrphanedTransaction {
  readonly type: TxType;
  readonly block: BlockRecord;
}

/** Blocks of one transaction that are looked at; no chain has as many forks side by side. */
const MAX_BLOCKS = 256;

/**
 * The highest orphaned block that has a transaction; one that only microblocks had is not found. Only for transactions
 * that are not canonical: of those any block here is orphaned.
 */
async function findOrphaned(queries: Queries, txId: string): Promise<OrphanedTransaction | undefined> {
  const sql = `SELECT block, type FROM orphaned_txs WHERE tx_id = ? ORDER BY block LIMIT ${MAX_BLOCKS}`;
  const rows = await queries.all<RowOf<typeof ORPHANED_TXS, 'block' | 'type'>>(sql, [fromHex(txId) ?? null]);
  const block = await highestKnownBlock(
    queries,
    rows.map(row => toHex(row.block)),
  );
  const type = TYPES.find(name => TX_TYPES[name] === rows[0]?.type);
  return block && type && { type, block };
}

const TYPES = Object.keys(TX_TYPES) as TxType[];
