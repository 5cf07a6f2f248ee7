import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { initialise, type NoServer, type OwnServer, openHome, type Run, runPostgres, stopper } from './postgres.ts';

/** One of two servers, which a test may stop. */
export type Node = Pick<OwnServer, 'url' | 'interrupt' | 'resume'>;

export interface Replica extends Node {
  /** What the primary commits from now on stays unseen here, though it is received. A restart ends the pause. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
}

/** A primary and a streaming replica of it, on loopback. */
export interface ReplicatedPostgres {
  readonly primary: Node;
  readonly replica: Replica;
  readonly how: string;
  /** Until the replica shows all that the primary has committed by now. */
  untilReplayed(): Promise<void>;
  stop(): Promise<void>;
}

const SLOT = 'replica';

/** What was acknowledged is written when a server crashes; only the machine must not. */
const SETTINGS = { synchronous_commit: 'on', wal_receiver_status_interval: '1s', wal_retrieve_retry_interval: '200ms' };

/** Starts both servers. Each may be stopped in any order: the primary keeps what the replica has not got. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres | NoServer> {
  const home = openHome();
  if ('missing' in home) return home;
  const runs: Run[] = [];
  const stop = stopper(runs, home.remove);
  try {
    const data = initialise(home);
    // A copy of what no server has run on yet is a backup that needs nothing else.
    const copy = join(dirname(data), 'replica');
    const { status, stderr } = spawnSync('cp', ['-Rp', data, copy], { ...home.user, encoding: 'utf8' });
    if (status !== 0) throw new Error(`cp failed: ${stderr}`);
    const primary = await runPostgres(home, data, SETTINGS);
    runs.push(primary);
    await query(primary.url, `SELECT pg_create_physical_replication_slot('${SLOT}', true)`);
    writeFileSync(join(copy, 'standby.signal'), '');
    const replica = await runPostgres(home, copy, {
      ...SETTINGS,
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=stacks`,
      primary_slot_name: SLOT,
      hot_standby_feedback: 'on',
    });
    runs.push(replica);
    const untilReplayed = () => untilReplayedOn(primary.url, replica.url);
    return { primary, replica: withPause(replica), how: home.how, untilReplayed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function withPause({ url, interrupt, resume }: Node): Replica {
  return {
    url,
    interrupt,
    resume,
    pauseReplay: async () => {
      await query(url, 'SELECT pg_wal_replay_pause()');
      while (
        (await query<{ state: string }>(url, 'SELECT pg_get_wal_replay_pause_state() AS state'))?.state !== 'paused'
      )
        await delay(10);
    },
    resumeReplay: async () => void (await query(url, 'SELECT pg_wal_replay_resume()')),
  };
}

async function untilReplayedOn(primary: string, replica: string): Promise<void> {
  const written = await query<{ lsn: string }>(primary, 'SELECT pg_current_wal_lsn() AS lsn');
  const sql = `SELECT pg_last_wal_replay_lsn() >= '${written?.lsn}' AS done`;
  while ((await query<{ done: boolean }>(replica, sql))?.done !== true) await delay(10);
}

async function query<R extends pg.QueryResultRow>(url: string, sql: string): Promise<R | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<R>(sql)).rows[0];
  } finally {
    await client.end();
  }
}
