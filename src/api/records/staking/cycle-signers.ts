import { fromHex, toHex } from '../../../base/lib/hex.ts';
import type { Queries } from '../../../base/store/database.ts';
import { allIn } from '../../../base/store/in-list.ts';
import type { RowOf } from '../../../base/store/table.ts';
import type { BLOCKS } from '../../../index/blocks/tables.ts';
import { readStoredSigner } from '../../../index/pox/stored.ts';
import type { POX_CYCLES, POX_SIGNER_KEYS, POX_SIGNERS } from '../../../index/pox/tables.ts';
import type { SIGNER_GRANTS } from '../../../index/staking/tables.ts';
import { readTransaction } from '../../../index/transactions/stored.ts';
import type { TXS } from '../../../index/transactions/tables.ts';
import { endOfBlocks, endOfTransactions } from '../../../ingest/indexer/horizon.ts';
import { inMemoryList } from '../../paging/cursor-page.ts';
import { type Cycle, registeredHeight } from '../pox/signer-queries.ts';

/** A signer of a reward set. */
interface CycleSigner {
  /** 0x hex. */
  readonly key: string;
  readonly weight: number;
  readonly stacked: bigint;
}

/** The signers of a cycle, the heaviest first, then by key: all of them, as a reward set has a few hundred at most. */
export async function signersOfCycle(queries: Queries, cycle: Cycle): Promise<CycleSigner[]> {
  const rows = await queries.all<RowOf<typeof POX_SIGNERS, 'signing_key' | 'record'>>(
    'SELECT signing_key, record FROM pox_signers WHERE list = ? AND seq >= ? AND seq < ? ORDER BY seq',
    [cycle.list, cycle.first, cycle.first + cycle.signers],
  );
  const signers = rows.map(({ signing_key, record }) => {
    const { weight, stacked_amount } = readStoredSigner(record);
    return { key: toHex(signing_key), weight, stacked: BigInt(stacked_amount) };
  });
  return signers.sort((a, b) => b.weight - a.weight || (a.key < b.key ? -1 : 1));
}

/** Records of some of the signers of a cycle, keys in emitted order (docs/spec/staking.md#signers-of-a-cycle). */
export async function cycleSignersV3(
  queries: Queries,
  cycle: Cycle,
  all: readonly CycleSigner[],
  some: readonly CycleSigner[],
) {
  const weights = all.reduce((sum, { weight }) => sum + weight, 0);
  const stacked = all.reduce((sum, signer) => sum + signer.stacked, 0n);
  const managers = await managersOf(queries, cycle, some);
  return some.map(signer => ({
    signing_key: signer.key,
    weight: { amount: signer.weight, percent: percentOf(signer.weight, weights) },
    staked_stx: { amount: String(signer.stacked), percent: percentOf(Number(signer.stacked), Number(stacked)) },
    signer_managers: managers.get(signer.key) ?? [],
  }));
}

/** Rounded like `weight_percent` of version 2, the quotient first, so 3 of 9 are 33.33333333333333; 0 if the whole is 0. */
export const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : (part / whole) * 100);

type Registration = RowOf<typeof POX_SIGNER_KEYS>;
type Grant = RowOf<typeof SIGNER_GRANTS, 'signer' | 'signing_key' | 'tx_id'> & { readonly auth_id: string };

/** The managers that had each key when the reward set was made, by principal. */
async function managersOf(queries: Queries, cycle: Cycle, signers: readonly CycleSigner[]) {
  const registrations = await allIn<Registration>(
    queries,
    list => `SELECT k.manager, k.height, k.signing_key, k.tx_id FROM pox_signer_keys k
      WHERE k.height = ${registeredHeight('k.manager')} AND k.signing_key IN ${list}`,
    signers.map(({ key }) => key),
    [cycle.height],
  );
  const names = registrations.map(({ manager }) => manager);
  const end = await endOfCycle(queries, cycle);
  const grants = await grantsTo(queries, names, end.tx);
  const newest = await newestRegistrations(queries, names, end.height);
  const burnHeights = await burnHeightsOf(queries, registrations);
  const records = registrations
    .sort((a, b) => (a.manager < b.manager ? -1 : 1))
    .map(({ manager, height, signing_key, tx_id }) => {
      const granted = grants
        .filter(({ signer }) => signer === manager)
        .sort((a, b) => (a.signing_key < b.signing_key ? -1 : 1));
      const registered = {
        block_height: height,
        bitcoin_block_height: burnHeights.get(toHex(tx_id)) ?? 0,
        tx_id: toHex(tx_id),
      };
      const record = {
        signer_manager: manager,
        registered_at: registered,
        granted_keys: granted.map(grant => ({
          signer_key: grant.signing_key,
          auth_id: grant.auth_id,
          tx_id: toHex(grant.tx_id),
        })),
        grant_active: granted.some(grant => grant.signing_key === signing_key),
        pending_key_update: pendingUpdate(newest.get(manager), signing_key, cycle),
      };
      return { key: signing_key, record };
    });
  const byKey = Map.groupBy(records, ({ key }) => key);
  return new Map([...byKey].map(([key, some]) => [key, some.map(({ record }) => record)]));
}

/** The pending key of a manager: one registered after the reward set was made counts from the next cycle on. */
function pendingUpdate(newest: Registration | undefined, key: string, cycle: Cycle) {
  if (!newest || newest.height < cycle.height || newest.signing_key === key) return null;
  return { signer_key: newest.signing_key, effective_cycle: cycle.number + 1, tx_id: toHex(newest.tx_id) };
}

/** The end (exclusive) up to which the state of a cycle is read. */
interface EndOfCycle {
  /** Height of a block. */
  readonly height: number;
  /** Position of a transaction in txs. */
  readonly tx: number;
}

/** The block with the reward set of the next cycle; without it, everything that the queries show counts. */
async function endOfCycle(queries: Queries, cycle: Cycle): Promise<EndOfCycle> {
  const last = endOfBlocks(queries);
  const row = await queries.get<RowOf<typeof POX_CYCLES, 'height'> & RowOf<typeof BLOCKS, 'first_tx'>>(
    `SELECT c.height, b.first_tx FROM pox_cycles c JOIN blocks b ON b.seq = c.height - 1
      WHERE c.cycle = ? AND c.height <= ? ORDER BY c.height DESC LIMIT 1`,
    [cycle.number + 1, last],
  );
  return { height: row?.height ?? last + 1, tx: row?.first_tx ?? endOfTransactions(queries) };
}

/** The keys granted to these managers before a position in txs. */
async function grantsTo(queries: Queries, managers: readonly string[], end: number): Promise<Grant[]> {
  const rows = await allIn<Omit<Grant, 'auth_id'> & { readonly auth_id: string | null }>(
    queries,
    list => `SELECT g.signer, g.signing_key, g.auth_id, g.tx_id FROM signer_grants g
      WHERE g.signer IN ${list} AND g.tx = (SELECT max(o.tx) FROM signer_grants o
        WHERE o.signer = g.signer AND o.signing_key = g.signing_key AND o.tx < ${end})`,
    managers,
  );
  return rows.flatMap(({ auth_id, ...grant }) => (auth_id === null ? [] : [{ ...grant, auth_id }]));
}

/** @param end height of a block, exclusive */
async function newestRegistrations(
  queries: Queries,
  managers: readonly string[],
  end: number,
): Promise<ReadonlyMap<string, Registration>> {
  const rows = await allIn<Registration>(
    queries,
    list => `SELECT k.manager, k.height, k.signing_key, k.tx_id FROM pox_signer_keys k
      WHERE k.height = (SELECT max(r.height) FROM pox_signer_keys r WHERE r.manager = k.manager AND r.height < ${end}) AND k.manager IN ${list}`,
    managers,
  );
  return new Map(rows.map(row => [row.manager, row]));
}

/** Burn heights of the blocks of the registrations, by transaction id. */
async function burnHeightsOf(
  queries: Queries,
  registrations: readonly Registration[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await allIn<RowOf<typeof TXS, 'tx_id' | 'record'>>(
    queries,
    list => `SELECT tx_id, record FROM txs WHERE seq < ? AND tx_id IN ${list}`,
    registrations.map(({ tx_id }) => tx_id),
    [endOfTransactions(queries)],
  );
  return new Map(rows.map(({ tx_id, record }) => [toHex(tx_id), readTransaction(record).burnBlockHeight]));
}

/** The number of the highest cycle that has a reward set; undefined without any. */
export async function newestCycle(queries: Queries): Promise<number | undefined> {
  const sql = 'SELECT max(cycle) AS newest FROM pox_cycles WHERE height <= ?';
  const row = await queries.get<{ newest: number | null }>(sql, [endOfBlocks(queries)]);
  return row?.newest ?? undefined;
}

/** The list of these signers, and the position of the cursor's signer: -1 for an unknown key. */
export function listOfSigners(signers: readonly CycleSigner[], cursor: string | undefined) {
  const wanted = cursor === undefined ? undefined : toHex(fromHex(cursor) ?? new Uint8Array());
  return {
    list: inMemoryList(signers, ({ key }) => key),
    first: wanted === undefined ? 0 : signers.findIndex(({ key }) => key === wanted),
  };
}
