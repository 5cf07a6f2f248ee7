import type { Queries } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { METADATA_JOBS } from '../tables.ts';
import { type Job, type JobKind, type JobState, type Lane, PRIORITY } from './job.ts';

/** A job that may be claimed, in its current state. */
interface Candidate extends Omit<Job, 'owner'> {
  readonly runAfter: number;
}

type JobRow = RowOf<typeof METADATA_JOBS, 'contract_id' | 'token' | 'attempts' | 'priority' | 'cause' | 'run_after'> & {
  readonly kind: JobKind;
  readonly state: JobState;
};

const COLUMNS = 'contract_id, token, kind, state, attempts, priority, cause, run_after';

/** The priorities of each lane, in the order in which they are served. */
const LANES: Readonly<Record<Lane, readonly number[]>> = {
  others: [PRIORITY.asked, PRIORITY.first, PRIORITY.refresh, PRIORITY.enumerated],
  images: [PRIORITY.image],
};

/** SQL: the kinds of jobs of each lane. */
const KINDS: Readonly<Record<Lane, string>> = { others: "kind NOT LIKE 'image:%'", images: "kind LIKE 'image:%'" };

/** Number of jobs of a contract that may be claimed. */
export type FreeSlots = (contractId: string) => number;

/**
 * Chooses jobs to claim, in the order of priority. Within a priority contracts take turns, beginning after the one
 * served last, so that a contract with many tokens never delays others. Repeated attempts come last.
 */
export class JobChooser {
  /** The last served contract, by priority. */
  readonly #last = new Map<number, string>();

  async choose(queries: Queries, lane: Lane, count: number, room: FreeSlots, now: number): Promise<Candidate[]> {
    const chosen: Candidate[] = [];
    for (const priority of LANES[lane]) {
      if (chosen.length >= count) return chosen;
      chosen.push(...(await this.#takeTurns(queries, priority, count - chosen.length, room, now)));
    }
    if (chosen.length < count) chosen.push(...(await dueAgain(queries, lane, count - chosen.length, room, now)));
    return chosen;
  }

  async #takeTurns(queries: Queries, priority: number, count: number, room: FreeSlots, now: number) {
    const after = this.#last.get(priority) ?? '';
    const contracts = await waitingContracts(queries, priority, after, CONTRACTS_AT_ONCE);
    const left = CONTRACTS_AT_ONCE - contracts.length;
    if (after !== '' && left > 0) contracts.push(...(await waitingContracts(queries, priority, '', left)));
    const due = contracts.filter(contract => contract.due <= now).map(contract => contract.contract_id);
    const open = [...new Set(due)].filter(contractId => room(contractId) > 0).slice(0, count);
    const each = Math.ceil(count / Math.max(1, open.length));
    const chosen: Candidate[] = [];
    let last = contracts.at(-1)?.contract_id ?? '';
    for (const contractId of open) {
      const most = Math.min(each, room(contractId), count - chosen.length);
      if (most <= 0) break;
      chosen.push(...(await dueJobs(queries, priority, contractId, most, now)));
      last = contractId;
    }
    this.#last.set(priority, last);
    return chosen;
  }
}

/** Contracts examined in one round, due or not; the next round continues after them. */
const CONTRACTS_AT_ONCE = 100;

type WaitingContract = RowOf<typeof METADATA_JOBS, 'contract_id'> & {
  /** Unix milliseconds when its first job is due. */
  readonly due: number;
};

/** Seeks from contract to contract in the index, whatever their numbers of jobs. */
function waitingContracts(
  queries: Queries,
  priority: number,
  after: string,
  count: number,
): Promise<WaitingContract[]> {
  return queries.all<WaitingContract>(
    `WITH RECURSIVE contracts (contract_id) AS (
       SELECT MIN(contract_id) FROM metadata_jobs WHERE state = 'waiting' AND priority = ? AND contract_id > ?
       UNION ALL
       SELECT (SELECT MIN(j.contract_id) FROM metadata_jobs j
               WHERE j.state = 'waiting' AND j.priority = ? AND j.contract_id > c.contract_id)
       FROM contracts c WHERE c.contract_id IS NOT NULL)
     SELECT c.contract_id, (SELECT MIN(j.run_after) FROM metadata_jobs j
       WHERE j.state = 'waiting' AND j.priority = ? AND j.contract_id = c.contract_id) AS due
     FROM contracts c WHERE c.contract_id IS NOT NULL LIMIT ?`,
    [priority, after, priority, priority, count],
  );
}

async function dueJobs(queries: Queries, priority: number, contractId: string, count: number, now: number) {
  const rows = await queries.all<JobRow>(
    `SELECT ${COLUMNS} FROM metadata_jobs WHERE state = 'waiting' AND priority = ? AND contract_id = ? AND run_after <= ?
     ORDER BY run_after LIMIT ?`,
    [priority, contractId, now, count],
  );
  return rows.map(candidateOf);
}

/** Jobs whose lease has ended, because their owner was killed or hangs. */
export async function lapsedJobs(queries: Queries, count: number, now: number): Promise<Candidate[]> {
  return byTime(queries, ['running'], count, now);
}

/** Failed and invalid jobs that are due, and dynamic tokens. */
async function dueAgain(
  queries: Queries,
  lane: Lane,
  count: number,
  room: FreeSlots,
  now: number,
): Promise<Candidate[]> {
  const due = await byTime(queries, ['done', 'failed', 'invalid'], count, now, KINDS[lane]);
  return due.filter(({ contractId }) => room(contractId) > 0);
}

async function byTime(
  queries: Queries,
  states: readonly JobState[],
  count: number,
  now: number,
  kinds = 'kind IS NOT NULL',
) {
  const candidates: Candidate[] = [];
  for (const state of states) {
    const left = count - candidates.length;
    if (left <= 0) break;
    const rows = await queries.all<JobRow>(
      `SELECT ${COLUMNS} FROM metadata_jobs WHERE state = ? AND run_after <= ? AND ${kinds} ORDER BY run_after LIMIT ?`,
      [state, now, left],
    );
    candidates.push(...rows.map(candidateOf));
  }
  return candidates;
}

const candidateOf = (row: JobRow): Candidate => ({
  contractId: row.contract_id,
  token: row.token,
  kind: row.kind,
  state: row.state,
  attempts: row.attempts,
  priority: row.priority,
  cause: row.cause,
  runAfter: row.run_after,
});
