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

/** What a check has found: the first findings, and how many there are. */
export interface CheckOutcome {
  readonly check: Check;
  readonly findings: readonly Finding[];
  readonly total: number;
  /** Rows that could not be compared with the journal, because their payload was dropped. */
  readonly uncompared: number;
  /** The dropped payload at which the check had to end; undefined where it ran to its end. */
  readonly endedAt: string | undefined;
}

interface VerifyOptions {
  readonly indexDb: Database;
  readonly journalDb: Database;
  /** Findings of a check that are kept; the others are only counted. */
  readonly keep: number;
  /** All where not given. */
  readonly checks?: readonly Check[];
  readonly signal?: AbortSignal;
  readonly onOutcome: (outcome: CheckOutcome) => void;
  /** @param rows read by this check so far */
  readonly onProgress?: (check: Check, rows: number) => void;
}

/**
 * Runs every check over one snapshot of an index and its journal. Reads only, so it may run beside a writer.
 * @throws IndexMismatch when another version made the index; the reason of the signal when that is given
 */
export function verifyIndex(options: VerifyOptions): Promise<void> {
  return options.indexDb.read(async index => {
    const bound = await boundChain(index); // the snapshot begins here, so that of the journal is not older
    const network = networkOf(bound ?? (await recognisedChain(options.journalDb)));
    const isPartial = (await readDropped(options.journalDb)).dropped > 0;
    await options.journalDb.read(async journal => {
      // More payloads may be dropped meanwhile: what is recorded must be that of the snapshot.
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

/** The chain whose addresses an index has that does not name one yet. Without a witness it has no blocks. */
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

/** The findings of a check. It ends with a row that cannot be read, which is a finding too, so that the other checks still run. */
async function* untilUnreadable(findings: AsyncIterable<Finding>, signal?: AbortSignal): AsyncIterable<Finding> {
  try {
    yield* findings;
  } catch (error) {
    if (isDatabaseError(error) || signal?.aborted) throw error;
    yield wrong(`the check ends at a row that cannot be read: ${error}`);
  }
}

/** Reports the number of rows read, and lets signals and other work in between: SQLite is synchronous. */
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
