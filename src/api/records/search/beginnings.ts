/** Entities that begin with a text that a client has typed so far (docs/spec/search.md#version-3). */
import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { KNOWN_ADDRESSES } from '../../../index/addresses/tables.ts';
import { CANONICAL } from '../../../index/blocks/canonical-chain.ts';
import { type BlockRecordRow, RECORD_FIELDS } from '../../../index/blocks/record.ts';
import type { CONTRACTS } from '../../../index/contracts/tables.ts';
import type { PENDING_TXS } from '../../../index/mempool/tables.ts';
import type { TOKEN_HOLDERS } from '../../../index/token-balances/tables.ts';
import { TX_TYPES } from '../../../index/transactions/tables.ts';
import { MAX_INTEGER } from '../../http/params.ts';
import { spellBeginning } from '../../http/principals.ts';
import { spanOfBurnBlock } from '../blocks/burn-blocks.ts';
import { findBlock } from '../blocks/queries.ts';
import { type BlockV2, blockV2 } from '../blocks/record-v2.ts';
import { storedAt } from '../transactions/queries.ts';

/** In the order of the results. */
export const SOUGHT = ['block', 'bitcoin_block', 'transaction', 'address', 'smart_contract', 'token'] as const;
export type Sought = (typeof SOUGHT)[number];

/** A result: its type, and the entity under the name of the type. */
type Hit = { readonly type: Sought } & Readonly<Partial<Record<Sought, object>>>;

/** The kinds of text of which it can be the beginning. */
interface Beginning {
  readonly height: number | undefined;
  readonly hash: HashRange | undefined;
  readonly principal: TextRange | undefined;
}

/** Both included. */
type HashRange = readonly [from: Uint8Array, to: Uint8Array];
type TextRange = readonly [from: string, before: string];

/**
 * Entities that begin with a text, without surrounding blanks.
 * @param types of entities to include
 * @param limit largest number
 */
export async function findBeginnings(
  queries: Queries,
  text: string,
  types: readonly Sought[],
  limit: number,
): Promise<readonly Hit[]> {
  const beginning = readBeginning(text.trim());
  const hits: Hit[] = [];
  for (const type of SOUGHT.filter(type => types.includes(type))) {
    if (hits.length >= limit) break;
    const found = await FINDERS[type](queries, beginning, limit - hits.length);
    hits.push(...found.map(what => ({ type, [type]: what })));
  }
  return hits;
}

function readBeginning(text: string): Beginning {
  const digits = /^(?:0x)?([0-9a-f]{8,64})$/i.exec(text)?.[1];
  return {
    height: /^[0-9]+$/.test(text) ? Math.min(Number(text), MAX_INTEGER) : undefined,
    hash: digits === undefined ? undefined : [bytes(digits.padEnd(64, '0')), bytes(digits.padEnd(64, 'f'))],
    principal: /^S[0-9A-Z]{4,40}(\.[a-z0-9_-]*(::.*)?)?$/i.test(text) ? textRange(spellBeginning(text)) : undefined,
  };
}

const bytes = (digits: string): Uint8Array => fromHex(`0x${digits.toLowerCase()}`) ?? new Uint8Array();

/** Nothing in a principal, or in the name of an asset, sorts after `~`. */
const textRange = (beginning: string): TextRange => [beginning, `${beginning}~`];

type Finder = (queries: Queries, beginning: Beginning, limit: number) => Promise<readonly object[]>;

const FINDERS: Readonly<Record<Sought, Finder>> = {
  block: findBlocks,
  bitcoin_block: findBitcoinBlocks,
  transaction: findTransactions,
  address: findAddresses,
  smart_contract: findContracts,
  token: findTokens,
};

/** The block of the height, then those of the hash, then those of the index block hash. */
async function findBlocks(queries: Queries, { height, hash }: Beginning, limit: number) {
  const records: BlockV2[] = [];
  const atHeight = height === undefined ? undefined : await findBlock(queries, { height });
  if (atHeight) records.push(atHeight.record);
  if (hash)
    for (const column of ['block_hash', 'index_block_hash']) {
      const rows = await queries.all<BlockRecordRow>(
        `SELECT ${RECORD_FIELDS} FROM ${CANONICAL} AND b.seq = k.height - 1
          WHERE k.${column} >= ? AND k.${column} <= ? ORDER BY k.${column} LIMIT ?`,
        [...hash, limit],
      );
      records.push(...rows.map(blockV2));
    }
  const blocks = new Map(records.map(record => [record.height, record]));
  return [...blocks.values()].slice(0, limit).map(({ height, hash, index_block_hash, block_time }) => ({
    height,
    hash,
    index_hash: index_block_hash,
    time: block_time,
  }));
}

/** The burn blocks of canonical blocks. They are found only by a whole hash, as all their hashes begin with zeros. */
async function findBitcoinBlocks(queries: Queries, { height, hash }: Beginning, limit: number) {
  const blocks = new Map<string, object>();
  const whole = hash && toHex(hash[0]) === toHex(hash[1]) ? toHex(hash[0]) : undefined;
  const refs = [...(height === undefined ? [] : [{ height }]), ...(whole === undefined ? [] : [{ hash: whole }])];
  for (const ref of refs) {
    const span = await spanOfBurnBlock(queries, ref);
    const block = span && span.to > 0 ? await findBlock(queries, { height: span.to }) : undefined;
    if (!block) continue;
    const { burn_block_height, burn_block_hash, burn_block_time } = block.record;
    blocks.set(burn_block_hash, { height: burn_block_height, hash: burn_block_hash, time: burn_block_time });
  }
  return [...blocks.values()].slice(0, limit);
}

/** By number. */
const TYPE_NAMES = Object.keys(TX_TYPES);

/** Canonical ones, then pending ones. */
async function findTransactions(queries: Queries, { hash }: Beginning, limit: number) {
  if (!hash) return [];
  const mined = await queries.all<{ seq: number }>(
    'SELECT max(seq) AS seq FROM txs WHERE tx_id >= ? AND tx_id <= ? GROUP BY tx_id ORDER BY tx_id LIMIT ?',
    [...hash, limit],
  );
  const stored = await storedAt(
    queries,
    mined.map(({ seq }) => seq),
  );
  const confirmed = mined.flatMap(({ seq }) => {
    const tx = stored.get(seq);
    return tx ? [{ tx_id: tx.txId, type: tx.payload.type, status: tx.status }] : [];
  });
  const pending = await queries.all<RowOf<typeof PENDING_TXS, 'tx_id' | 'type'>>(
    'SELECT tx_id, type FROM pending_txs WHERE streamed = 0 AND tx_id >= ? AND tx_id <= ? ORDER BY tx_id LIMIT ?',
    [...hash, limit],
  );
  const waiting = pending.map(({ tx_id, type }) => ({
    tx_id: toHex(tx_id),
    type: TYPE_NAMES[type],
    status: 'pending',
  }));
  return [...confirmed, ...waiting].slice(0, limit);
}

/** Standard ones that any transaction ever named. */
async function findAddresses(queries: Queries, { principal }: Beginning, limit: number) {
  return within<RowOf<typeof KNOWN_ADDRESSES, 'address'>>(
    queries,
    'SELECT address FROM known_addresses WHERE address >= ? AND address < ? ORDER BY address LIMIT ?',
    principal,
    limit,
  );
}

/** Ids that are examined: a contract can have any number of failed deployments. */
const MAX_ATTEMPTS = 200;

/** Canonical ones whose deployment did not fail. */
async function findContracts(queries: Queries, { principal }: Beginning, limit: number) {
  const rows = await within<RowOf<typeof CONTRACTS, 'contract_id' | 'tx_id'>>(
    queries,
    `SELECT contract_id, tx_id FROM (
       SELECT contract_id, tx_id, CASE WHEN interface IS NULL THEN 0 ELSE 1 END AS deployed FROM contracts
        WHERE contract_id >= ? AND contract_id < ? ORDER BY contract_id LIMIT ${MAX_ATTEMPTS}
     ) attempts WHERE deployed = 1 ORDER BY contract_id LIMIT ?`,
    principal,
    limit,
  );
  return rows.map(({ contract_id, tx_id }) => ({ contract_id, tx_id: toHex(tx_id) }));
}

/** Fungible tokens that have or had a holder. */
async function findTokens(queries: Queries, { principal }: Beginning, limit: number) {
  const rows = await within<RowOf<typeof TOKEN_HOLDERS, 'token'>>(
    queries,
    'SELECT token FROM token_holders WHERE token >= ? AND token < ? AND holders > 0 ORDER BY token LIMIT ?',
    principal,
    limit,
  );
  return rows.map(({ token }) => ({ asset_identifier: token }));
}

/** Rows of a range of texts; empty without a range. */
async function within<Row extends Readonly<Record<string, SqlValue>>>(
  queries: Queries,
  sql: string,
  range: TextRange | undefined,
  limit: number,
): Promise<readonly Row[]> {
  return range ? queries.all<Row>(sql, [...range, limit]) : [];
}
