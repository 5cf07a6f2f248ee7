import { toHex } from '../src/base/lib/hex.ts';
import type { Database, Queries, Row, SqlValue } from '../src/base/store/database.ts';
import { allIn } from '../src/base/store/in-list.ts';
import type { RowOf } from '../src/base/store/table.ts';
import { TXS_OF_ADDRESS } from '../src/index/addresses/tables.ts';
import { ALL_REWARD_SLOTS, POX_TXS_OF_ADDRESS, REWARD_SLOTS_OF_ADDRESS } from '../src/index/burnchain/tables.ts';
import { CONTRACTS_BY_FUNCTION, LOGS_BY_CONTRACT } from '../src/index/contracts/tables.ts';
import { MINTS_BY_ASSET } from '../src/index/nft/tables.ts';
import { DELEGATIONS_TO_POOL, type POX_EVENTS, SIGNERS_OF_CYCLE } from '../src/index/pox/tables.ts';
import {
  TXS_BY_CONTRACT,
  TXS_BY_FUNCTION,
  TXS_BY_NONCE,
  TXS_BY_RECIPIENT,
  TXS_BY_SENDER,
} from '../src/index/transactions/tables.ts';
import { readState } from '../src/ingest/indexer/index-state.ts';
import type { ListKind } from '../src/ingest/indexer/tables.ts';

/** Most entities of a kind to request. */
const SAMPLE = 500;

/** A list by its name, such as an address, and how many entries it has. */
export interface Named {
  readonly name: string;
  readonly length: number;
}

/** The longest and the shortest lists of a kind. */
export interface Lists {
  readonly busy: readonly Named[];
  readonly quiet: readonly Named[];
}

export interface SampledBlock {
  readonly height: number;
  readonly hash: string;
  readonly indexBlockHash: string;
  readonly burnHash: string;
  readonly burnHeight: number;
  readonly transactions: number;
}

export interface SampledTransaction {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string | undefined;
  readonly contract: string | undefined;
  readonly functionName: string | undefined;
  readonly nonce: number;
  /** Unix seconds. */
  readonly burnTime: number;
}

export interface SampledToken {
  readonly contract_id: string;
  readonly token: string;
}

type TokenStandard = 'sip-009' | 'sip-010' | 'sip-013';

/** The contents of an index, for requests about it: hashes are 0x hex, samples are spread evenly over the chain. */
export interface Entities {
  readonly height: number;
  readonly transactionCount: number;
  readonly rewardSlotCount: number;
  readonly blocks: readonly SampledBlock[];
  readonly burnBlockCount: number;
  readonly tenures: readonly number[];
  /** Index block hashes of blocks that forks left behind. */
  readonly orphans: readonly string[];
  readonly transactions: readonly SampledTransaction[];
  readonly principals: Lists;
  readonly contractsWithHistory: Lists;
  readonly senders: Lists;
  readonly recipients: Lists;
  readonly calledContracts: Lists;
  readonly functions: Lists;
  readonly nonces: Lists;
  readonly logs: Lists;
  readonly mints: Lists;
  readonly pools: Lists;
  readonly rewarded: Lists;
  /** The recipients of Bitcoin payments, and burn blocks with such payments. */
  readonly payees: Lists;
  readonly poxTxHeights: readonly number[];
  readonly contracts: readonly string[];
  /** Interfaces of some contracts, as JSON texts. */
  readonly interfaces: readonly string[];
  /** How many contracts have a function of this name. */
  readonly functionNames: Lists;
  readonly cycles: readonly { readonly cycle: number; readonly signers: readonly string[] }[];
  /** Ids of transactions that left the mempool without a block. */
  readonly dropped: readonly string[];
  readonly pending: readonly { readonly id: string; readonly sender: string; readonly recipient: string | null }[];
  /** Registrations for bonds of PoX 5. */
  readonly bonds: readonly { readonly bond: number; readonly staker: string }[];
  /** Signer managers of PoX 5. */
  readonly managers: readonly string[];
  readonly nameOwners: readonly string[];
  /** Hashes of canonical microblocks. */
  readonly microblocks: readonly string[];
  readonly poxEvents: readonly { readonly txId: string; readonly stacker: string }[];
  readonly names: readonly string[];
  /** Names that have a zone file, with its hash. */
  readonly zoneFiles: readonly { readonly name: string; readonly zoneFileHash: string }[];
  readonly subdomains: readonly string[];
  /** Tokens that have metadata, where the caller has filled them in. */
  readonly nfts: readonly SampledToken[];
  readonly sfts: readonly SampledToken[];
  readonly fts: readonly SampledToken[];
}

/** Reads what an index has. Scans the directory of lists several times: seconds on a large index. */
export function readEntities(db: Database): Promise<Entities> {
  return db.read(async queries => {
    const lists = (kind: ListKind, where = '') => listsOf(queries, kind, where);
    const { tip } = await readState(queries);
    const transactionCount = await count(queries, 'txs');
    return {
      height: tip?.height ?? 0,
      transactionCount,
      rewardSlotCount: await lengthOf(queries, ALL_REWARD_SLOTS),
      blocks: await sampleBlocks(queries),
      burnBlockCount: (await queries.get<{ n: number }>('SELECT count(DISTINCT burn_number) AS n FROM blocks'))?.n ?? 0,
      tenures: await column(
        queries,
        `SELECT DISTINCT tenure_height AS v FROM blocks WHERE tenure_height > 0 LIMIT ${SAMPLE}`,
      ),
      orphans: (
        await column<Uint8Array>(queries, `SELECT block AS v FROM orphaned_blocks ORDER BY height LIMIT ${SAMPLE}`)
      ).map(toHex),
      transactions: await sampleTransactions(queries, transactionCount),
      principals: await lists(TXS_OF_ADDRESS, `AND name NOT LIKE '%.%'`),
      contractsWithHistory: await lists(TXS_OF_ADDRESS, `AND name LIKE '%.%'`),
      senders: await lists(TXS_BY_SENDER),
      recipients: await lists(TXS_BY_RECIPIENT),
      calledContracts: await lists(TXS_BY_CONTRACT),
      functions: await lists(TXS_BY_FUNCTION),
      nonces: await lists(TXS_BY_NONCE, `AND name <> '0'`),
      logs: await lists(LOGS_BY_CONTRACT),
      mints: await lists(MINTS_BY_ASSET),
      pools: await lists(DELEGATIONS_TO_POOL),
      rewarded: await lists(REWARD_SLOTS_OF_ADDRESS),
      payees: await lists(POX_TXS_OF_ADDRESS),
      poxTxHeights: await column(queries, `SELECT DISTINCT burn_height AS v FROM pox_txs LIMIT ${SAMPLE}`),
      bonds: await queries.all(`SELECT bond_index AS bond, staker FROM bond_positions ORDER BY staker LIMIT ${SAMPLE}`),
      managers: await column(queries, `SELECT signer AS v FROM staking_signers LIMIT ${SAMPLE}`),
      contracts: await column(queries, `SELECT contract_id AS v FROM contracts LIMIT ${SAMPLE}`),
      interfaces: await column(
        queries,
        'SELECT interface AS v FROM contracts WHERE interface IS NOT NULL ORDER BY tx_id LIMIT 20',
      ),
      functionNames: await lists(CONTRACTS_BY_FUNCTION),
      cycles: await cyclesOf(queries),
      microblocks: (
        await queries.all<{ hash: Uint8Array }>(`SELECT hash FROM microblocks ORDER BY seq LIMIT ${SAMPLE}`)
      ).map(({ hash }) => toHex(hash)),
      poxEvents: await poxEventsOf(queries),
      pending: await pendingOf(queries),
      dropped: (await column<Uint8Array>(queries, `SELECT tx_id AS v FROM dropped_txs LIMIT ${SAMPLE}`)).map(toHex),
      nameOwners: await column(
        queries,
        `SELECT DISTINCT owner AS v FROM names WHERE owner IS NOT NULL LIMIT ${SAMPLE}`,
      ),
      names: await column(queries, `SELECT name AS v FROM listed_names WHERE v1 = 1 LIMIT ${SAMPLE}`),
      zoneFiles: (
        await queries.all<{ name: string; hash: Uint8Array }>(
          `SELECT DISTINCT n.name, z.hash FROM zone_files z JOIN names n ON n.token = z.token
             JOIN known_blocks k ON k.index_block_hash = z.index_block_hash JOIN blocks b ON b.known = k.arrival LIMIT ${SAMPLE}`,
        )
      ).map(({ name, hash }) => ({ name, zoneFileHash: toHex(hash) })),
      subdomains: await column(queries, `SELECT DISTINCT subdomain AS v FROM subdomains LIMIT ${SAMPLE}`),
      nfts: await sampleTokens(queries, 'sip-009'),
      sfts: await sampleTokens(queries, 'sip-013'),
      fts: await sampleTokens(queries, 'sip-010'),
    };
  });
}

/** Tokens of this standard that an index has. */
export function sampleTokens(queries: Queries, standard: TokenStandard): Promise<SampledToken[]> {
  return queries.all<Row & SampledToken>(
    `SELECT t.contract_id, t.token FROM tokens t JOIN token_contracts c ON c.contract_id = t.contract_id
      WHERE c.standard = ? LIMIT ${SAMPLE}`,
    [standard],
  );
}

async function listsOf(queries: Queries, kind: ListKind, where: string): Promise<Lists> {
  const ordered = (order: 'ASC' | 'DESC', most: number) =>
    queries.all<Row & Named>(
      `SELECT name, length FROM lists WHERE kind = ? ${where} ORDER BY length ${order}, name LIMIT ${most}`,
      [kind.code],
    );
  return { busy: await ordered('DESC', 5), quiet: await ordered('ASC', SAMPLE) };
}

async function lengthOf(queries: Queries, kind: ListKind): Promise<number> {
  const row = await queries.get<{ n: number }>('SELECT length AS n FROM lists WHERE kind = ?', [kind.code]);
  return row?.n ?? 0;
}

async function sampleBlocks(queries: Queries): Promise<SampledBlock[]> {
  const step = stepOver(await count(queries, 'blocks'));
  const rows = await queries.all<{
    height: number;
    block_hash: Uint8Array;
    index_block_hash: Uint8Array;
    burn_block_hash: Uint8Array;
    burn_block_height: number;
    tx_count: number;
  }>(
    `SELECT b.seq + 1 AS height, k.block_hash, k.index_block_hash, k.burn_block_hash, k.burn_block_height, k.tx_count
       FROM blocks b JOIN known_blocks k ON k.arrival = b.known WHERE b.seq % ${step} = 0`,
  );
  return rows.map(row => ({
    height: row.height,
    hash: toHex(row.block_hash),
    indexBlockHash: toHex(row.index_block_hash),
    burnHash: toHex(row.burn_block_hash),
    burnHeight: row.burn_block_height,
    transactions: row.tx_count,
  }));
}

async function sampleTransactions(queries: Queries, of: number): Promise<SampledTransaction[]> {
  // The sample begins after the transactions of the boot block, which have no real nonce and the oldest time.
  const rows = await queries.all<{
    tx_id: Uint8Array;
    sender: number;
    recipient: number | null;
    contract: number | null;
    function: number | null;
    nonce: number;
    burn_time: number;
  }>(
    `SELECT tx_id, sender, recipient, contract, function, nonce, burn_time FROM txs
      WHERE seq % ${stepOver(of)} = 0 AND height > 0`,
  );
  const wanted = new Set<SqlValue>(
    rows.flatMap(({ sender, recipient, contract, function: called }) => [sender, recipient, contract, called]),
  );
  wanted.delete(null);
  const kinds = [TXS_BY_SENDER, TXS_BY_RECIPIENT, TXS_BY_CONTRACT, TXS_BY_FUNCTION].map(({ code }) => code).join();
  const named = await allIn<{ id: number; name: string }>(
    queries,
    list => `SELECT id, name FROM lists WHERE kind IN (${kinds}) AND id IN ${list}`,
    [...wanted],
  );
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const nameOf = (id: number | null) => (id === null ? undefined : names.get(id));
  return rows.map(row => ({
    id: toHex(row.tx_id),
    sender: names.get(row.sender) ?? '',
    recipient: nameOf(row.recipient),
    contract: nameOf(row.contract),
    functionName: nameOf(row.function),
    nonce: row.nonce,
    burnTime: row.burn_time,
  }));
}

async function cyclesOf(queries: Queries): Promise<{ cycle: number; signers: string[] }[]> {
  const rows = await queries.all<{ cycle: number; first_signer: number; signers: number; id: number }>(
    `SELECT c.cycle, c.first_signer, c.signers, l.id FROM pox_cycles c
       JOIN lists l ON l.kind = ? AND l.name = CAST(c.cycle AS TEXT) LIMIT 50`,
    [SIGNERS_OF_CYCLE.code],
  );
  const cycles: { cycle: number; signers: string[] }[] = [];
  for (const { cycle, first_signer, signers, id } of rows) {
    const keys = await column<Uint8Array>(
      queries,
      'SELECT signing_key AS v FROM pox_signers WHERE list = ? AND seq >= ? AND seq < ?',
      [id, first_signer, first_signer + signers],
    );
    cycles.push({ cycle, signers: keys.map(toHex) });
  }
  return cycles;
}

async function pendingOf(queries: Queries) {
  const rows = await queries.all<{ tx_id: Uint8Array; sender: string; recipient: string | null }>(
    `SELECT tx_id, sender, recipient FROM pending_txs LIMIT ${SAMPLE}`,
  );
  return rows.map(({ tx_id, sender, recipient }) => ({ id: toHex(tx_id), sender, recipient }));
}

async function column<V extends string | number | Uint8Array>(
  queries: Queries,
  sql: string,
  params: readonly SqlValue[] = [],
): Promise<V[]> {
  return (await queries.all<{ v: V }>(sql, params)).map(row => row.v);
}

async function count(queries: Queries, table: string): Promise<number> {
  return (await queries.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? 0;
}

const stepOver = (length: number): number => Math.max(1, Math.floor(length / SAMPLE));

async function poxEventsOf(queries: Queries): Promise<{ txId: string; stacker: string }[]> {
  const rows = await queries.all<RowOf<typeof POX_EVENTS, 'tx_id'> & { event: string }>(
    `SELECT tx_id, event FROM pox_events WHERE contract = 'pox-4' AND event IS NOT NULL ORDER BY seq LIMIT ${SAMPLE}`,
  );
  return rows.map(({ tx_id, event }) => ({
    txId: toHex(tx_id),
    stacker: (JSON.parse(event) as { readonly stacker: string }).stacker,
  }));
}
