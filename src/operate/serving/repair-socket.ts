import type { Logger } from 'pino';
import {
  type CheckedDelivery,
  defaultEventServerLimits,
  type EventServerOptions,
  startEventServer,
} from '../../ingest/node/event-server.ts';
import { REBUILT_PATH } from '../../ingest/node/events/rebuilt.ts';
import { prepareWriterSocket, writerSocket } from '../storage/writer-socket.ts';

interface RepairSocketOptions extends Pick<EventServerOptions, 'refuse' | 'onEvent'> {
  readonly data: string;
  readonly maxEventBytes: number;
  readonly maxEventNesting: number;
  readonly logger: Logger;
  /** Makes the event durable. */
  readonly accept: (delivery: CheckedDelivery) => Promise<void>;
}

/**
 * Accepts events of `gaps repair` on the socket of the directory, like the event port, and rebuilt blocks, too.
 * @returns undefined if the system cannot make such a socket, which is logged: `gaps repair` then needs exclusive use of the directory
 */
export async function startRepairSocket(options: RepairSocketOptions): Promise<{ close(): Promise<void> } | undefined> {
  const { data, maxEventBytes: maxBodyBytes, maxEventNesting: maxNesting, logger, accept, ...given } = options;
  const without = (reason: string): undefined =>
    logger.warn(
      { reason },
      '`gaps repair` must wait until this process stops: it cannot listen for repairs',
    ) as undefined;
  const socket = writerSocket(data);
  if (socket === undefined) return without('the path of the directory is too long for a socket');
  try {
    prepareWriterSocket(data);
    return await startEventServer({
      ...{ socket, logger, accept, ...given },
      alsoReads: [REBUILT_PATH],
      limits: { ...defaultEventServerLimits, maxBodyBytes, maxNesting, closeDeadlineMs: 3000 },
    });
  } catch (error) {
    return without(error instanceof Error ? error.message : String(error));
  }
}
