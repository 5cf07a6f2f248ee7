import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MetricValues } from '../metrics/metrics.ts';
import type { Message } from './messages.ts';

/*
 * Several processes that answer the API on one port (node:cluster): the first process takes connections and gives them to the
 * workers in turns. A worker runs the same command line (serve.ts).
 */

/** What a worker is told. */
export type ToApiWorker =
  | { readonly kind: 'message'; readonly message: Message }
  /** It answers with `metrics` of the same number. */
  | { readonly kind: 'metrics'; readonly id: number };

export type FromApiWorker =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'metrics'; readonly id: number; readonly values: MetricValues }
  | { readonly kind: 'listening'; readonly port: number };

export interface ApiWorkersOptions {
  readonly count: number;
  readonly logger: Logger;
  /** A worker asks for something that another part of the program does. */
  readonly onMessage: (message: Message) => void;
}

export interface ApiWorkers {
  readonly port: number;
  send(message: Message): void;
  /** What the workers have to tell; of those that do not answer soon, nothing. */
  metrics(): Promise<MetricValues[]>;
  close(): Promise<void>;
}

const RESTART_MS = 1_000;
const METRICS_MS = 2_000;
const CLOSE_MS = 3_500;

/** Starts the workers; one that ends is replaced. @throws when the first ones do not come to listen: they have said why */
export async function startApiWorkers({ count, logger, onMessage }: ApiWorkersOptions): Promise<ApiWorkers> {
  const workers = new Set<Worker>();
  const asked = new Map<number, (values: MetricValues | undefined) => void>();
  let questions = 0;
  let isClosing = false;

  /** @returns the port; rejects when it ends before it listens */
  function start(): Promise<number> {
    const worker = cluster.fork();
    workers.add(worker);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    worker.on('message', (message: FromApiWorker) => {
      if (message.kind === 'listening') {
        logger.info({ apiWorker: worker.process.pid }, 'API worker answers');
        resolve(message.port);
      } else if (message.kind === 'metrics') asked.get(message.id)?.(message.values);
      else onMessage(message.message);
    });
    worker.on('error', error =>
      logger.warn({ err: error, apiWorker: worker.process.pid }, 'API worker cannot be reached'),
    );
    worker.once('exit', (code, signal) => {
      workers.delete(worker);
      reject(new Error(`an API worker ended with ${signal ?? code} before it answered anything`));
      if (!isClosing) logger.warn({ apiWorker: worker.process.pid, code, signal }, 'API worker ended');
    });
    return promise;
  }

  async function replaceWhenEnded(): Promise<void> {
    while (!isClosing) {
      await delay(RESTART_MS, undefined, { ref: false });
      if (workers.size < count && !isClosing) await start().catch(() => undefined);
    }
  }

  async function close(): Promise<void> {
    isClosing = true;
    const ended = [...workers].map(worker => once(worker, 'exit'));
    for (const worker of workers) worker.process.kill('SIGTERM');
    const timer = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    }, CLOSE_MS);
    await Promise.all(ended);
    clearTimeout(timer);
  }

  const tell = (worker: Worker, message: ToApiWorker): void => {
    if (worker.isConnected()) worker.send(message);
  };

  async function metricsOf(worker: Worker): Promise<MetricValues | undefined> {
    const id = ++questions;
    const { promise, resolve } = Promise.withResolvers<MetricValues | undefined>();
    asked.set(id, resolve);
    const timer = setTimeout(() => resolve(undefined), METRICS_MS);
    tell(worker, { kind: 'metrics', id });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      asked.delete(id);
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
  replaceWhenEnded().catch(() => undefined);
  return {
    port,
    send: message => {
      for (const worker of workers) tell(worker, { kind: 'message', message });
    },
    metrics: async () => (await Promise.all([...workers].map(metricsOf))).filter(values => values !== undefined),
    close,
  };
}
