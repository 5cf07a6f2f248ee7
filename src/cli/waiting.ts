import type { Logger } from 'pino';
import { startMetricsServer } from '../operate/metrics/server.ts';
import { startWaitingApi, type WaitingFor } from '../operate/serving/waiting-api.ts';
import { startWaitingWriter } from '../operate/serving/waiting-writer.ts';
import type { Options } from './options/options.ts';
import { loadNameOf } from './replay/sources.ts';

interface WaitingParts {
  readonly logger: Logger;
  /** Ends the wait for an unreachable server. */
  readonly signal: AbortSignal;
  readonly waitingFor: () => WaitingFor;
  /** The metrics; rejects before the first. */
  readonly metrics: () => Promise<string>;
  /** Rejects: nothing is ready. */
  readonly ready: () => Promise<never>;
  /** A block is in the journal. */
  readonly onBlock: () => void;
  /** Events cannot be accepted, and a retry does not repair that. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Starts the parts that `serve` runs before it can serve an index: the API and the probes respond 503, and events go into the journal.
 * @returns a function that ends them
 * @throws DirectoryInUse, UnfinishedCopy, FatalDatabaseError; the error of the system if a port is in use
 */
export async function startWaiting(options: Options, parts: WaitingParts): Promise<() => Promise<void>> {
  const { mode, host, port, maxConnections, metricsHost, metricsPort } = options;
  const { logger, signal, waitingFor, metrics, ready, onBlock, onFailure } = parts;
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const each of closers.splice(0).reverse()) await each();
  };
  try {
    if (mode !== 'writeonly') closers.push((await startWaitingApi({ host, port, maxConnections, waitingFor })).close);
    if (metricsPort !== 0) {
      const server = await startMetricsServer({
        ...{ host: metricsHost, port: metricsPort, logger, ready },
        metrics: { contentType: 'text/plain', text: metrics },
      });
      closers.push(server.close);
    }
    if (mode !== 'readonly') {
      const archives = options.replay?.map(loadNameOf);
      closers.push((await startWaitingWriter(options, { logger, signal, archives, onBlock, onFailure })).close);
    }
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}
