import { fork, spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type ApiResponses, addedUp, type LoadRequest } from './load.ts';
import { quantile } from './report.ts';

/** The result of a run of requests. Times in milliseconds. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Mean size of a body in bytes. */
  readonly bodyBytes: number;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Share of a core that each client process used: close to 1, the client is the limit of the measurement. */
  readonly clientShare: number;
}

/** From this share of a core on, the client is as slow as the server. */
export const CLIENT_LIMIT = 0.9;

/** Client processes. `run` is called again only when the last call has ended. */
export interface Generator {
  /** Sends requests for the given time, or until `stop` is called. @throws when a connection fails */
  run(request: LoadRequest): Promise<Load>;
  stop(): void;
  close(): void;
}

/**
 * Starts a number of client processes; connections are divided among them.
 * @param pinned keeps them on the last core, where the system has taskset
 */
export function startGenerator(processes = 1, { pinned = false } = {}): Generator {
  const children = Array.from({ length: processes }, () =>
    fork(join(import.meta.dirname, 'load-process.ts'), { serialization: 'advanced' }),
  );
  if (pinned)
    for (const { pid } of children)
      spawnSync('taskset', ['-a', '-cp', String(cpus().length - 1), String(pid)], { stdio: 'ignore' });
  const ask = (child: (typeof children)[number], request: LoadRequest): Promise<ApiResponses> =>
    new Promise((resolve, reject) => {
      const ended = () => reject(new Error('a process that asks has ended'));
      child.once('exit', ended);
      child.once('message', (message: { responses: ApiResponses } | { failure: string }) => {
        child.off('exit', ended);
        if ('responses' in message) resolve(message.responses);
        else reject(new Error(message.failure));
      });
      child.send(request);
    });
  return {
    run: async request => {
      const connections = Math.max(1, Math.floor(request.connections / processes));
      return summary(await Promise.all(children.map(child => ask(child, { ...request, connections }))));
    },
    stop: () => {
      for (const child of children) child.send('stop');
    },
    close: () => {
      for (const child of children) child.disconnect();
    },
  };
}

function summary(all: readonly ApiResponses[]): Load {
  const times = Float64Array.from(all.flatMap(({ times }) => [...times])).sort();
  const seconds = Math.max(...all.map(responses => responses.seconds));
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    bodyBytes: all.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(times.length, 1),
    statuses: addedUp(all.map(({ statuses }) => statuses)),
    clientShare: Math.max(...all.map(({ cpuShare }) => cpuShare)),
  };
}
