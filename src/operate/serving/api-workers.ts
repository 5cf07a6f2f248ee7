import cluster, { type Worker } from 'node:cluster';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { chainIdText } from '../../ingest/chain/witness.ts';
import type { Metrics, MetricValues } from '../metrics/metrics.ts';
import type { Message } from './messages.ts';
import type { WorkerIdentity } from './worker-sessions.ts';

/*
 * Several processes that serve the API on one port (node:cluster). The parent process accepts connections and passes them to the
 * workers in turn. A worker runs the same command line (serve.ts).
 */

/** Messages to a worker. */
type ToApiWorker =
  | { readonly kind: 'message'; readonly message: Message }
  /** A request for `metrics` with the same id. */
  | { readonly kind: 'metrics'; readonly id: number };

/** Messages from a worker. */
type FromApiWorker =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'metrics'; readonly id: number; readonly values: MetricValues }
  | { readonly kind: 'listening'; readonly port: number };

interface ApiWorkersOptions {
  readonly count: number;
  readonly chainId: number;
  readonly logger: Logger;
  /** Called when a worker requests work that another part of the program does. */
  readonly onMessage: (message: Message) => void;
}

export interface ApiWorkers {
  readonly port: number;
  send(message: Message): void;
  /** The metrics of all workers, without those of workers that do not reply in time. */
  metrics(): Promise<MetricValues[]>;
  close(): Promise<void>;
}

/** Names the directory where workers meet, in their environment. */
const DIRECTORY = 'STACKS_INDEX_WORKER_SOCKETS';

/** The place of this process among the workers. */
export function ownIdentity(): WorkerIdentity | undefined {
  const directory = process.env[DIRECTORY];
  return cluster.worker && directory !== undefined ? { id: cluster.worker.id, directory } : undefined;
}

const RESTART_MS = 1_000;
const METRICS_MS = 2_000;
const CLOSE_MS = 3_500;

/** Starts the workers, and replaces each that exits. @throws if one of the first exits before it listens; it has logged why */
export async function startApiWorkers({ count, chainId, logger, onMessage }: ApiWorkersOptions): Promise<ApiWorkers> {
  const directory = await mkdtemp(join(tmpdir(), 'stacks-index-'));
  const workers = new Set<Worker>();
  const pending = new Map<number, (values: MetricValues | undefined) => void>();
  let lastId = 0;
  let isClosing = false;

  /** @returns the port; rejects if the worker exits before it listens */
  function start(): Promise<number> {
    // Passes the chain id: it may have been recognised before the index has it.
    const worker = cluster.fork({ [DIRECTORY]: directory, STACKS_CHAIN_ID: chainIdText(chainId) });
    workers.add(worker);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    worker.on('message', (message: FromApiWorker) => {
      if (message.kind === 'listening') {
        logger.info({ apiWorker: worker.process.pid }, 'API worker is listening');
        resolve(message.port);
      } else if (message.kind === 'metrics') pending.get(message.id)?.(message.values);
      else onMessage(message.message);
    });
    worker.on('error', error =>
      logger.warn({ err: error, apiWorker: worker.process.pid }, 'API worker is unreachable'),
    );
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      reject(new Error(`an API worker exited with ${signal ?? code} before it listened`));
      if (!isClosing)
        logger.warn({ apiWorker: worker.process.pid, code, signal }, 'API worker exited; starting another');
    });
    return promise;
  }

  async function replaceExited(): Promise<void> {
    while (!isClosing) {
      await delay(RESTART_MS, undefined, { ref: false });
      if (workers.size < count && !isClosing) await start().catch(() => undefined);
    }
  }

  async function close(): Promise<void> {
    isClosing = true;
    // `once` of node:events rejects on an error of the connection, which a worker that exits may cause.
    const exits = [...workers].map(worker => new Promise(resolve => worker.once('exit', resolve)));
    for (const worker of workers) worker.process.kill('SIGTERM');
    const timer = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    }, CLOSE_MS);
    await Promise.all(exits);
    clearTimeout(timer);
    await rm(directory, { recursive: true, force: true });
  }

  const tell = (worker: Worker, message: ToApiWorker): void => {
    if (worker.isConnected()) worker.send(message);
  };

  async function metricsOf(worker: Worker): Promise<MetricValues | undefined> {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<MetricValues | undefined>();
    pending.set(id, resolve);
    const timer = setTimeout(() => resolve(undefined), METRICS_MS);
    tell(worker, { kind: 'metrics', id });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      pending.delete(id);
    }
  }

  let port: number;
  try {
    const ports = await Promise.all(Array.from({ length: count }, start));
    port = ports[0] ?? 0;
  } catch (error) {
    await close();
    throw error;
  }
  replaceExited().catch(() => undefined);
  return {
    port,
    send: message => {
      for (const worker of workers) tell(worker, { kind: 'message', message });
    },
    metrics: async () => (await Promise.all([...workers].map(metricsOf))).filter(values => values !== undefined),
    close,
  };
}

/** The parent of an API worker, as the worker sees it. */
interface ParentProcess {
  send(message: Message): void;
  /** The worker accepts requests from now on. */
  listening(port: number): void;
}

/** Listens to the process that started this one. */
export function listenToParent(onMessage: (message: Message) => void, metrics: Pick<Metrics, 'values'>): ParentProcess {
  // node:cluster ends this process when the parent is gone.
  const send = (message: FromApiWorker): void => {
    if (process.connected) process.send?.(message);
  };
  process.on('message', (message: ToApiWorker) => {
    if (message.kind === 'message') onMessage(message.message);
    else
      metrics.values().then(
        values => send({ kind: 'metrics', id: message.id, values }),
        () => undefined, // the parent does not wait
      );
  });
  return {
    send: message => send({ kind: 'message', message }),
    listening: port => send({ kind: 'listening', port }),
  };
}
