import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import {
  etcdArguments,
  haproxyConfiguration,
  type Member,
  patroniConfiguration,
  pgbouncerConfiguration,
} from './configurations.ts';
import type { ClusterPrograms } from './programs.ts';

/** PostgreSQL servers of which one is the primary; Patroni promotes another one when it fails. All on loopback. */
export interface Cluster {
  /** By HAProxy to the primary, whoever it is; and to a replica. */
  readonly primary: string;
  readonly replicas: string;
  /** The same through pgbouncer in transaction mode. */
  readonly pooled: { readonly primary: string; readonly replicas: string };
  /** Until there is a primary, and every other server follows it. */
  untilWhole(): Promise<void>;
  /** Kills the primary as kill -9 does; `machine`: and its Patroni, so that nobody tells of the failure. The new primary is another one. */
  killPrimary(what: 'server' | 'machine'): Promise<void>;
  /** Whether a commit waits until a replica has it. */
  setSynchronous(isSynchronous: boolean): Promise<void>;
  /** What the primary commits from now on reaches no replica. */
  stopSending(): Promise<void>;
  stop(): Promise<void>;
}

const MEMBERS = 3;

interface Status {
  readonly members: readonly {
    readonly name: string;
    readonly role: string;
    readonly state: string;
    readonly timeline?: number;
  }[];
}

export async function startCluster(programs: ClusterPrograms): Promise<Cluster> {
  const { user } = programs;
  const home = mkdtempSync(join(tmpdir(), 'stacks-index-failover-'));
  chmodSync(home, 0o755);
  if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
  const running = new Map<string, ChildProcess>();
  let isSynchronous = true;

  function start(name: string, program: string, args: readonly string[]): void {
    const log = openSync(join(home, `${name}.log`), 'a');
    const child = spawn(program, args, {
      ...user,
      cwd: home,
      env: { PATH: '/usr/bin:/bin', HOME: home, LC_ALL: 'C' },
      stdio: ['ignore', log, log],
    });
    child.unref();
    running.set(name, child);
  }
  function configured(name: string, text: string): string {
    const file = join(home, name);
    writeFileSync(file, text, { mode: 0o644 });
    return file;
  }

  const etcd = { client: await freePort(), peer: await freePort() };
  const members: Member[] = [];
  for (let i = 1; i <= MEMBERS; i++)
    members.push({
      name: `server${i}`,
      port: await freePort(),
      restPort: await freePort(),
      data: join(home, `server${i}`),
    });
  const ports = { primary: await freePort(), replicas: await freePort(), pooled: await freePort() };

  const startMember = (member: Member) =>
    start(member.name, programs.patroni, [
      configured(
        `${member.name}.json`,
        patroniConfiguration(member, { home, etcdPort: etcd.client, bin: programs.postgresBin }),
      ),
    ]);
  start('etcd', programs.etcd, etcdArguments(home, etcd));
  for (const member of members) startMember(member);
  start('haproxy', programs.haproxy, ['-db', '-f', configured('haproxy.cfg', haproxyConfiguration(members, ports))]);
  start('pgbouncer', programs.pgbouncer, [configured('pgbouncer.ini', pgbouncerConfiguration(ports))]);

  /** From the first member that responds. */
  async function status(): Promise<Status | undefined> {
    for (const { restPort } of members) {
      try {
        const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2_000) });
        if (response.ok) return (await response.json()) as Status;
      } catch {
        // it is down
      }
    }
    return undefined;
  }
  const leaderIn = (found: Status | undefined) =>
    found?.members.find(({ role, state }) => role === 'leader' && state === 'running')?.name;

  async function primary(): Promise<Member> {
    let member: Member | undefined;
    const isThere = async () => {
      const leader = leaderIn(await status());
      member = members.find(({ name }) => name === leader);
      return member !== undefined;
    };
    await until(isThere, 'there is no primary', allLogs);
    return member as Member;
  }

  async function isWhole(): Promise<boolean> {
    const found = await status();
    const leader = leaderIn(found);
    if (!leader || found?.members.length !== MEMBERS) return false;
    const timelines = new Set(found.members.map(({ timeline }) => timeline));
    // Patroni promotes no other member in synchronous mode.
    if (isSynchronous !== found.members.some(({ role }) => role === 'sync_standby')) return false;
    return timelines.size === 1 && found.members.every(({ state }) => state === 'running' || state === 'streaming');
  }

  const configure = async (changes: object) => {
    const change = async () => {
      const body = JSON.stringify(changes);
      const url = `http://127.0.0.1:${members[0]?.restPort}/config`;
      return (await fetch(url, { method: 'PATCH', body }).catch(() => undefined))?.ok === true;
    };
    await until(change, 'Patroni takes no configuration');
  };

  function endNow(): void {
    for (const child of running.values()) child.kill('SIGKILL');
    for (const { data } of members) signal(postmasterOf(data), 'SIGQUIT');
    rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
  process.once('exit', endNow);

  const url = (port: number, name = 'postgres') => `postgres://stacks@127.0.0.1:${port}/${name}`;
  const logOf = (name: string) =>
    existsSync(join(home, `${name}.log`)) ? readFileSync(join(home, `${name}.log`), 'utf8') : '';
  const allLogs = { output: () => members.map(({ name }) => `${name}:\n${logOf(name).slice(-1500)}`).join('\n') };

  return {
    primary: url(ports.primary),
    replicas: url(ports.replicas),
    pooled: { primary: url(ports.pooled, 'primary'), replicas: url(ports.pooled, 'replicas') },
    untilWhole: async () => void (await until(isWhole, 'the cluster does not become whole', allLogs)),
    async killPrimary(what) {
      const member = await primary();
      if (what === 'machine') running.get(member.name)?.kill('SIGKILL');
      killWithChildren(postmasterOf(member.data));
      const isReplaced = async () => ![undefined, member.name].includes(leaderIn(await status()));
      await until(isReplaced, `nobody takes the place of ${member.name}`, allLogs);
      if (what === 'machine') startMember(member);
    },
    setSynchronous: async wanted => {
      isSynchronous = wanted;
      await configure({ synchronous_mode: isSynchronous, synchronous_mode_strict: isSynchronous });
    },
    stopSending: async () => {
      const { data } = await primary();
      for (const pid of childrenOf(postmasterOf(data)))
        if (commandOf(pid).includes('walsender')) signal(pid, 'SIGSTOP');
    },
    stop: async () => {
      process.off('exit', endNow);
      endNow();
    },
  };
}

/** The process of a running server. */
function postmasterOf(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined;
}

function killWithChildren(pid: number | undefined): void {
  const children = childrenOf(pid);
  signal(pid, 'SIGKILL');
  for (const child of children) signal(child, 'SIGKILL');
}

function childrenOf(pid: number | undefined): number[] {
  if (pid === undefined) return [];
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
};

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch {
    // it has ended
  }
}
