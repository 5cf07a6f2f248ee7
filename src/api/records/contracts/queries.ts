import { toHex } from '../../../base/lib/hex.ts';
import type { Queries, SqlValue } from '../../../base/store/database.ts';
import { inLists } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import { sourceName } from '../../../index/contracts/deployment.ts';
import { type FunctionOf, findInInterface } from '../../../index/contracts/functions.ts';
import { readStoredDeployment } from '../../../index/contracts/stored.ts';
import {
  ALL_DEPLOYED,
  type CONTRACT_FUNCTIONS,
  type CONTRACT_LOGS,
  type CONTRACTS,
  CONTRACTS_BY_SOURCE,
  type DEPLOYED,
  type DEPLOYMENTS,
  LOGS_BY_CONTRACT,
} from '../../../index/contracts/tables.ts';
import { printText } from '../../../index/transactions/stored.ts';
import { horizonOf } from '../../../ingest/indexer/horizon.ts';
import { findList, lengthOfOnly, newestEntries, type Slice } from '../../../ingest/indexer/lists.ts';
import type { CursorList } from '../../paging/cursor-page.ts';

type RecordRow = RowOf<typeof DEPLOYMENTS, 'record'>;

const DEPLOYMENT = 'deployments p ON p.contract_id = c.contract_id AND p.block = c.block AND p.tx_id = c.tx_id';
/** Joins contracts with their latest deployment, which alone counts if a contract was deployed again. */
const CONTRACT = 'deployed d JOIN contracts c ON c.contract_id = d.contract_id AND c.tx_id = d.tx_id';

/**
 * Deployments and their blocks, the preferred one first: one with an interface, then the newest; at one height, the one
 * seen first. A deployment that only a microblock has was seen before the blocks of its height, as the microblock extends
 * the block below.
 */
const PREFERRED_FIRST = 'p.has_interface DESC, p.height DESC, k.arrival ASC NULLS FIRST, p.tx_id';
const SEEN = 'deployments p LEFT JOIN known_blocks k ON k.index_block_hash = p.block';

/**
 * The contract of this id as getContractByIdV1 serves it: the canonical one, else one that only orphaned blocks have, in the order of
 * PREFERRED_FIRST.
 */
export async function findContract(queries: Queries, contractId: string): Promise<string | undefined> {
  const canonical = await canonicalDeployment<RecordRow>(queries, contractId, 'p.record');
  if (canonical) return canonical.record;
  if (horizonOf(queries)) return undefined; // as of a block, other contracts were not seen
  // A canonical deployment would be in contracts, so any other one is orphaned.
  const orphan = await queries.get<RecordRow>(
    `SELECT p.record FROM ${SEEN} WHERE p.contract_id = ? ORDER BY ${PREFERRED_FIRST} LIMIT 1`,
    [contractId],
  );
  return orphan && JSON.stringify({ ...readStoredDeployment(orphan.record), canonical: false });
}

type DeploymentRow = RowOf<typeof DEPLOYMENTS, 'tx_id' | 'has_interface' | 'record'>;
const DEPLOYMENT_FIELDS = 'p.tx_id, p.has_interface, p.record';

/**
 * The canonical deployment of a contract: the last successful one, else the last attempt.
 * @param fields the columns of a row: unneeded bytes cost a microsecond
 */
async function canonicalDeployment<R extends RecordRow = DeploymentRow>(
  queries: Queries,
  contractId: string,
  fields = DEPLOYMENT_FIELDS,
): Promise<R | undefined> {
  const horizon = horizonOf(queries);
  if (horizon === undefined)
    return queries.get<R>(`SELECT ${fields} FROM contracts c JOIN ${DEPLOYMENT} WHERE c.contract_id = ?`, [contractId]);
  return queries.get<R>(
    `SELECT ${fields} FROM deployments p
       JOIN known_blocks k ON k.index_block_hash = p.block JOIN blocks b ON b.known = k.arrival AND b.seq = k.height - 1
       JOIN txs t ON t.tx_id = p.tx_id AND t.height = p.height
      WHERE p.contract_id = ? AND p.height <= ? ORDER BY p.has_interface DESC, t.seq DESC LIMIT 1`,
    [contractId, horizon.height],
  );
}

/** A contract with the transaction that deployed it. */
interface Deployed {
  readonly tx_id: Uint8Array;
  readonly clarity_version: number | null;
  readonly source_code: string;
  /** The interface as JSON text. */
  readonly abi: string;
}

/** The canonical contract of this id; undefined for one whose deployment failed (docs/spec/contracts.md#version-3). */
export async function findDeployed(queries: Queries, contractId: string): Promise<Deployed | undefined> {
  const row = await canonicalDeployment(queries, contractId);
  if (!row?.has_interface) return undefined;
  const { clarity_version, source_code, abi } = readStoredDeployment(row.record);
  if (abi === null) throw new Error(`${contractId} has an interface, its deployment none`);
  return { tx_id: row.tx_id, clarity_version, source_code, abi };
}

/**
 * The transaction that deployed a contract, in the same order of preference; with `block` (index block hash) only if no
 * canonical block has it. A transaction of a microblock that no block accepted is not a deployment (searchByIdV1).
 */
export async function findDeployment(
  queries: Queries,
  contractId: string,
): Promise<{ readonly txId: string; readonly block?: string } | undefined> {
  const canonical = await queries.get<RowOf<typeof CONTRACTS, 'tx_id'>>(
    'SELECT tx_id FROM contracts WHERE contract_id = ?',
    [contractId],
  );
  if (canonical) return { txId: toHex(canonical.tx_id) };
  const orphan = await queries.get<RowOf<typeof DEPLOYMENTS, 'tx_id' | 'block'>>(
    `SELECT p.tx_id, p.block FROM ${SEEN} WHERE p.contract_id = ? AND p.block <> ?
      ORDER BY ${PREFERRED_FIRST} LIMIT 1`,
    [contractId, new Uint8Array()],
  );
  return orphan && { txId: toHex(orphan.tx_id), block: toHex(orphan.block) };
}

/** The interface of a contract that only orphaned blocks have, as JSON text: that of the record of getContractByIdV1. */
async function orphanedInterface(queries: Queries, contractId: string): Promise<string | null> {
  const row = await queries.get<RecordRow>(
    `SELECT p.record FROM ${SEEN} WHERE p.contract_id = ? AND p.has_interface = 1 ORDER BY ${PREFERRED_FIRST} LIMIT 1`,
    [contractId],
  );
  return row ? readStoredDeployment(row.record).abi : null;
}

/** Number of canonical contracts that have functions. */
export const countDeployed = (queries: Queries): Promise<number> => lengthOfOnly(queries, ALL_DEPLOYED);

/** Records of the contracts at these positions in the order of deployment. @param positions the newest first */
export async function contractRecords(queries: Queries, positions: readonly number[]): Promise<string[]> {
  const records: string[] = [];
  for (const { list, values } of inLists(positions)) {
    if (horizonOf(queries)) records.push(...(await pastRecords(queries, list, values)));
    else {
      const sql = `SELECT p.record FROM ${CONTRACT} JOIN ${DEPLOYMENT} WHERE d.seq IN ${list} ORDER BY d.seq DESC`;
      for (const { record } of await queries.all<RecordRow>(sql, values)) records.push(record);
    }
  }
  return records;
}

/** The same as of a block: for each contract, the deployment that was canonical, if the list has it at this position. */
async function pastRecords(queries: Queries, list: string, positions: readonly SqlValue[]): Promise<string[]> {
  const rows = await queries.all<RowOf<typeof DEPLOYED, 'contract_id' | 'tx_id'>>(
    `SELECT contract_id, tx_id FROM deployed WHERE seq IN ${list} ORDER BY seq DESC`,
    positions,
  );
  const records: string[] = [];
  for (const { contract_id, tx_id } of rows) {
    const deployment = await canonicalDeployment(queries, contract_id);
    if (deployment && toHex(deployment.tx_id) === toHex(tx_id)) records.push(deployment.record);
  }
  return records;
}

/** A page of the prints of a contract, newest first (getContractEventsByIdV1). */
export async function logsOfContract(
  queries: Queries,
  contractId: string,
  slice: Omit<Slice, 'order'>,
): Promise<string[]> {
  type Log = RowOf<typeof CONTRACT_LOGS, 'record'>;
  const { rows } = await newestEntries<Log>(queries, LOGS_BY_CONTRACT, contractId, 'e.record', slice);
  return rows.map(row => printText(row.record));
}

/**
 * Functions by the current interfaces of these contracts, for calls that no block has yet. A contract that only orphaned
 * blocks have has its interface from there, as in getContractByIdV1.
 */
export async function functionsOfContractsNow(queries: Queries, contractIds: readonly string[]): Promise<FunctionOf> {
  const interfaces = new Map<string, string | null>();
  for (const { list, values } of inLists(contractIds)) {
    const sql = `SELECT contract_id, interface FROM contracts WHERE contract_id IN ${list}`;
    const rows = await queries.all<RowOf<typeof CONTRACTS, 'contract_id' | 'interface'>>(sql, values);
    for (const row of rows) interfaces.set(row.contract_id, row.interface);
  }
  for (const contractId of contractIds) {
    if (typeof interfaces.get(contractId) !== 'string')
      interfaces.set(contractId, await orphanedInterface(queries, contractId));
  }
  return (contractId, functionName) => {
    const text = interfaces.get(contractId);
    return typeof text === 'string' ? findInInterface(text, functionName) : undefined;
  };
}

type Twin = RowOf<typeof CONTRACT_FUNCTIONS, 'seq'> & RowOf<typeof DEPLOYED, 'contract_id' | 'tx_id'>;

/**
 * The contracts with the same source as a contract, itself included, in the order of their deployment (docs/spec/contracts.md#same-source);
 * undefined without such a contract.
 */
export async function twinsOf(queries: Queries, contractId: string): Promise<CursorList<Twin> | undefined> {
  const contract = await findDeployed(queries, contractId);
  if (!contract) return undefined;
  const list = await findList(queries, CONTRACTS_BY_SOURCE, sourceName(contract.source_code));
  return {
    length: list?.length ?? 0,
    rows: (from, to) =>
      queries.all<Twin>(
        `SELECT e.seq, d.contract_id, d.tx_id FROM contract_functions e JOIN deployed d ON d.seq = e.contract
          WHERE e.list = ? AND e.seq >= ? AND e.seq < ? ORDER BY e.seq`,
        [list?.id ?? null, from, to],
      ),
    cursors: rows => rows.map(({ seq }) => String(seq)),
  };
}
