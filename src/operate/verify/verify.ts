import { setImmediate } from 'node:timers/promises';
import type { Database, Queries, Row, SqlValue } from '../../base/store/database.ts';
import { isDatabaseError } from '../../base/store/errors.ts';
import { MAINNET_CHAIN_ID, networkOf } from '../../ingest/chain/network.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { isPayloadDropped } from '../../ingest/journal/dropped.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import { droppedIn, readDropped } from '../../ingest/journal/journal-format.ts';
import { firstWitness, readBinding, SCHEMA_VERSION, wrongSchema } from '../storage/chain-binding.ts';
import { type Check, type Context, type Finding, wrong } from './check.ts';
import { CHECKS } from './checks.ts';
import { SpillingMap } from './spilling-map.ts';

/** The result of a check: the first findings, and their number. */
export interface CheckOutcome {
  readonly check: Check;
  readonly findings: readonly Finding[];
  readonly total: number;
  /** Rows that could not be compared with the journal, because their payload was dropped. */
  readonly uncompared: number;
  /** The dropped payload at which the check had to end; undefined if it ran to its end. */
  readonly endedAt: string | undefined;
}

interface VerifyOptions {
  readonly indexDb: Database;
  readonly journalDb: Database;
  /** Most findings of a check to keep; further ones are only counted. */
  readonly keep: number;
  /** By default all checks. */
  readonly checks?: readonly Check[];
  readonly signal?: AbortSignal;
  readonly onOutcome: (outcome: CheckOutcome) => void;
  /** @param rows read by this check so far */
  readonly onProgress?: (check: Check, rows: number) => void;
}

/**
 * Runs every check over one snapshot of an index and its journal. Reads only, so it may run beside a writer.
 * @throws IndexMismatch if another version made the index; the reason of the signal
 */
export function verifyIndex(options: VerifyOptions): Promise<void> {
  return options.indexDb.read(async index => {
    const bound = await boundChain(index); // the snapshot begins here, so that of the journal is not older
    const network = networkOf(bound ?? (await recognisedChain(options.journalDb)));
    const isPartial = (await readDropped(options.journalDb)).dropped > 0;
    await options.journalDb.read(async journal => {
      // More payloads may be dropped meanwhile: read the record in the same snapshot.
      const dropped = isPartial ? (await droppedIn(journal)).dropped : 0;
      const length = await journal.get<{ last: number | null }>('SELECT max(seq) AS last FROM journal');
      const context = {
        ...{ index, journal, network, recordedDropped: dropped },
        journalLength: length?.last ?? 0,
        state: await readState(index),
      };
      for (const check of options.checks ?? CHECKS) options.onOutcome(await runCheck(check, context, options));
    });
  });
}

/** The chain that the index names. @throws IndexMismatch */
async function boundChain(index: Queries): Promise<number | undefined> {
  const { chainId, schemaVersion } = await readBinding(index);
  if (schemaVersion !== SCHEMA_VERSION) throw wrongSchema(schemaVersion ?? 0);
  return chainId;
}

/** The chain of the addresses in an index that does not name its chain yet. Without a witness it has no blocks. */
async function recognisedChain(journalDb: Database): Promise<number> {
  return (await firstWitness(new Journal(journalDb).entries()))?.chainId ?? MAINNET_CHAIN_ID;
}

async function runCheck(
  check: Check,
  context: Omit<Context, 'newMap' | 'onDropped'>,
  options: VerifyOptions,
): Promise<CheckOutcome> {
  const { signal, keep } = options;
  let rows = 0;
  const onRows = (count: number) => {
    rows += count;
    options.onProgress?.(check, rows);
  };
  const index = watched(context.index, onRows, signal);
  const journal = watched(context.journal, onRows, signal);
  const findings: Finding[] = [];
  let total = 0;
  let uncompared = 0;
  let endedAt: string | undefined;
  const onDropped = () => void uncompared++;
  const maps: SpillingMap[] = [];
  const newMap = () => {
    const map = new SpillingMap();
    maps.push(map);
    return map;
  };
  try {
    for await (const finding of untilUnreadable(check.run({ ...context, index, journal, newMap, onDropped }), signal)) {
      total++;
      if (findings.length < keep) findings.push(finding);
    }
  } catch (error) {
    if (!isPayloadDropped(error)) throw error;
    endedAt = error.message;
  } finally {
    for (const map of maps) await map.close();
  }
  return { check, findings, total, uncompared, endedAt };
}

/** The findings of a check. An unreadable row ends the check with a finding, so that the other checks still run. */
async function* untilUnreadable(findings: AsyncIterable<Finding>, signal?: AbortSignal): AsyncIterable<Finding> {
  try {
    yield* findings;
  } catch (error) {
    if (isDatabaseError(error) || signal?.aborted) throw error;
    yield wrong(`the check ends at a row that cannot be read: ${error}`);
  }
}

/** Reports the number of rows read, and lets signals and other work run in between, as SQLite is synchronous. */
function watched(queries: Queries, onRows: (count: number) => void, signal?: AbortSignal): Queries {
  const pause = async (count: number) => {
    onRows(count);
    await setImmediate();
    signal?.throwIfAborted();
  };
  return {
    all: async <R extends Row>(sql: string, params?: readonly SqlValue[]) => {
      const rows = await queries.all<R>(sql, params);
      await pause(rows.length);
      return rows;
    },
    get: async <R extends Row>(sql: string, params?: readonly SqlValue[]) => {
      const row = await queries.get<R>(sql, params);
      await pause(1);
      return row;
    },
  };
}
