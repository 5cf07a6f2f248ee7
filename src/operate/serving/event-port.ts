import type { Logger } from 'pino';
import type { Delivery } from '../../ingest/journal/entries.ts';
import {
  defaultEventServerLimits,
  type EventServer,
  type EventServerOptions,
  type LargeBodies,
  startEventServer,
} from '../../ingest/node/event-server.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { type KnownChain, orphanLimit } from './orphan-limit.ts';

export interface EventPortOptions {
  readonly eventHost: string;
  /** 0 starts no event server. */
  readonly eventPort: number;
  readonly eventSecret: string | undefined;
  /** Number of missing parents above which further orphans are refused if there is no secret. */
  readonly maxGaps: number;
  readonly maxEventBytes: number;
  readonly maxEventNesting: number;
}

interface EventPortParts extends Pick<EventServerOptions, 'refuse'> {
  readonly logger: Logger;
  readonly onEvent: Metrics['event'];
  /** Knows the parents of blocks. */
  readonly known: KnownChain;
  /** Makes the event durable. */
  readonly accept: (delivery: Delivery) => Promise<void>;
  /** If given, checks and stores events with large bodies. */
  readonly large?: LargeBodies;
}

/** Starts the server that a Stacks node posts its events to, with the options of the command line. */
export function startEventPort(
  options: EventPortOptions,
  { logger, onEvent, refuse, known, accept, large }: EventPortParts,
): Promise<EventServer> {
  if (options.eventSecret === undefined && !isLoopback(options.eventHost))
    logger.warn(
      { host: options.eventHost },
      'anyone who can reach the event port can write events: set STACKS_INDEX_EVENT_SECRET',
    );
  const { eventHost: host, eventPort: port, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting } = options;
  const orphans = options.eventSecret === undefined ? orphanLimit(options.maxGaps, known) : undefined;
  return startEventServer({
    host,
    port,
    limits: { ...defaultEventServerLimits, maxBodyBytes, maxNesting, closeDeadlineMs: 3000 },
    logger,
    ...(options.eventSecret !== undefined && { secret: options.eventSecret }),
    ...(refuse && { refuse }),
    onEvent,
    accept: async delivery => {
      await orphans?.check(delivery.event);
      await accept(delivery);
    },
    large: large && {
      check: large.check,
      accept: async delivery => {
        await orphans?.check(delivery.event);
        await large.accept(delivery);
      },
    },
  });
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);
