import assert from 'node:assert/strict';
import { todaysEvents } from '../support/todays-chain.ts';
import { deliverRounds } from './deliver.ts';
import { seededRandom } from './random.ts';
import { contentOf, type Found, openReference, type Reference, readFound } from './reference.ts';
import { replayRounds } from './replay.ts';
import { type CrashStats, eventsOfARound } from './round.ts';
import { type CrashStore, directoryStore, schemaStore } from './store.ts';

export type { CrashStats } from './round.ts';

export interface CrashOptions {
  readonly engine: 'sqlite' | 'postgres';
  /** replay: the command is killed until it completes. deliver: `serve` is killed while a node posts events to it. */
  readonly mode: 'replay' | 'deliver';
  /** The same seed kills at the same places, as far as the machine keeps its pace. */
  readonly seed: number;
  /** How often to kill. When all events are stored before, it begins again in an empty store. */
  readonly kills: number;
  /** What is delivered: the sample chain where not given, or the chain of epoch 4.0; a replay has the sample chain. */
  readonly chain?: 'sample' | 'today';
  /** Of a PostgreSQL server; the run makes a schema of its own and drops it. */
  readonly database?: string;
  /** Where the run makes and removes its directories; default: that of the system for temporary files. */
  readonly directory?: string;
}

/**
 * Kills the program with SIGKILL again and again while it stores and indexes a chain, and compares what it finds after
 * every kill with an index that was never interrupted. Throws on any difference. Leaves nothing behind.
 */
export async function crashRun(options: CrashOptions): Promise<CrashStats> {
  const stats: CrashStats = { kills: 0, inWork: 0, starting: 0, acknowledged: 0, rounds: 0, positions: 0 };
  const random = seededRandom(options.seed);
  const isOfToday = options.chain === 'today' && options.mode === 'deliver';
  const events = isOfToday ? todaysEvents() : eventsOfARound();
  const live = options.mode === 'deliver' ? deliverRounds : replayRounds;
  const { expected, play } = await live(events);
  /** On a slow machine a process may be starting still when it is killed: at least one kill must hit one in work. */
  const killsLeft = () => Math.max(options.kills - stats.kills, stats.inWork === 0 ? 1 : 0);
  do {
    const store = newStore(options);
    const reference = await openReference();
    try {
      const check = (acknowledged: number) => checkStore(store, reference, expected, acknowledged, stats);
      await play({ store, events, random, stats, killsLeft, check });
      const { position } = await check(expected.length);
      assert.equal(position, expected.length, 'everything is indexed at the end');
      stats.rounds++;
    } catch (error) {
      const { engine, mode, seed } = options;
      throw new Error(`crash run ${engine} ${mode} seed ${seed}, ${JSON.stringify(stats)}: ${messageOf(error)}`, {
        cause: error,
      });
    } finally {
      await reference.close();
      await store.remove();
    }
  } while (killsLeft() > 0);
  return stats;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function newStore({ engine, database, directory }: CrashOptions): CrashStore {
  if (engine === 'sqlite') return directoryStore(directory);
  if (database === undefined) throw new Error('the URL of a PostgreSQL server is needed');
  return schemaStore(database);
}

/** @param acknowledged entries of the expected journal that must be there */
async function checkStore(
  store: CrashStore,
  reference: Reference,
  expected: readonly string[],
  acknowledged: number,
  stats: CrashStats,
): Promise<Found> {
  const found = await store.look(readFound);
  const { entries } = found;
  assert.ok(entries.length >= acknowledged, `${acknowledged} entries were acknowledged, ${entries.length} are there`);
  entries.forEach((entry, i) => {
    assert.equal(entry.seq, i + 1, 'the journal is numbered without gaps');
    assert.ok(contentOf(entry) === expected[i], `journal entry ${entry.seq} (${entry.path}) is not what was sent`);
  });
  await reference.check(found);
  stats.positions++;
  return found;
}
