import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
/** The launcher that users start: it sets the flags of Node.js that the program needs. @param checkout its root folder */
const launcherOf = (checkout: string): string => join(checkout, 'bin/stacks-index');

const START_TRIES = 600;
const STOP_MS = 10_000;

/** A program of this repository in its own processes, and their use of CPU and memory. Figures are NaN on systems without /proc. */
export interface Program {
  /** Whether it has ended, for any reason. */
  readonly hasEnded: () => boolean;
  /** Microseconds of CPU that its threads and those of its child processes have used so far, user and system. */
  readonly cpuMicros: () => number;
  readonly residentBytes: () => number;
  /** Sends the signal to end and waits for the exit; kills the process after 10 s. */
  readonly stop: () => Promise<void>;
}

/** Starts a TypeScript file of the repository. */
export const startProgram = (file: string, args: readonly string[]): Program =>
  programOf(start(process.execPath, [join(root, file), ...args]));

function programOf(child: ChildProcess): Program {
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    hasEnded,
    cpuMicros: () => sum(processesOf(child.pid).map(({ pid }) => cpuMicros(pid))),
    residentBytes: () => sum(processesOf(child.pid).map(({ pid }) => residentBytes(pid))),
    stop: async () => {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The CPU use of running programs and their child processes. @param pids of programs on this machine */
export const runningPrograms = (pids: readonly number[]): Pick<Program, 'cpuMicros'> => ({
  cpuMicros: () => sum(pids.flatMap(pid => processesOf(pid)).map(({ pid }) => cpuMicros(pid))),
});

/** Runs a TypeScript file of the repository to its end. @throws when it fails */
export const runProgram = (file: string, args: readonly string[]): Promise<void> =>
  runToItsEnd(process.execPath, [join(root, file), ...args]);

function runToItsEnd(program: string, args: readonly string[]): Promise<void> {
  const child = start(program, args);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
  });
}

function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  // The child is killed whenever this process ends.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** Loads an archive into the place of these options, as an operator would. @param checkout of another commit */
export const replayInto = (place: readonly string[], archive: string, checkout = root): Promise<void> =>
  runToItsEnd(launcherOf(checkout), ['replay', archive, ...place]);

/**
 * Starts the API on the place of these options; with a port for events, also the event server.
 * @param checkout of another commit
 */
export function startServer(
  place: readonly string[],
  ports: { readonly port: number; readonly eventPort?: number },
  more: readonly string[] = [],
  checkout = root,
): Program {
  const { port, eventPort = 0 } = ports;
  const listening = ['--port', String(port), '--event-port', String(eventPort)];
  return programOf(start(launcherOf(checkout), ['serve', ...place, ...listening, '--log-level', 'warn', ...more]));
}

/** Resolves when a path gives 200. @throws when the program ends before, or after half a minute */
export async function untilAnswered(program: Program, port: number, path: string): Promise<void> {
  for (let tries = 0; tries < START_TRIES && !program.hasEnded(); tries++) {
    const isUp = await fetch(`http://127.0.0.1:${port}${path}`).then(
      async response => (await response.arrayBuffer()) && response.ok,
      () => false,
    );
    if (isUp) return;
    await delay(50);
  }
  throw new Error(`the server did not ${program.hasEnded() ? 'stay' : 'answer in time'}`);
}

interface ProcessUse {
  readonly pid: number;
  readonly parent: number;
}

/** A process and all that descend from it. */
function processesOf(root: number | undefined): ProcessUse[] {
  const all = allProcesses();
  const family = all.filter(({ pid }) => pid === root);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid));
  return family;
}

function allProcesses(): ProcessUse[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .flatMap(name => processUse(Number(name)));
  } catch {
    return [];
  }
}

/** One process; none when it has just ended. */
function processUse(pid: number): ProcessUse[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in brackets can hold spaces; what follows it begins with the third field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid, parent: Number(fields[1]) }];
  } catch {
    return [];
  }
}

/** The CPU time of the current threads, from the kernel's scheduler, which counts nanoseconds; `stat` has only steps of 10 ms. */
function cpuMicros(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return sum(
      threads.map(id => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ')[0]) / 1e3),
    );
  } catch {
    return Number.NaN;
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

const sum = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((total, value) => total + value, 0);
