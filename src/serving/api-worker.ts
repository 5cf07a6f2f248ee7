import type { Metrics } from '../metrics/metrics.ts';
import type { FromApiWorker, ToApiWorker } from './api-workers.ts';
import type { Message } from './messages.ts';

/** The side of an API worker: see api-workers.ts. */
export interface ParentProcess {
  send(message: Message): void;
  /** Requests are answered from now on. */
  listening(port: number): void;
}

/** Listens to the process that has started this one. */
export function listenToParent(onMessage: (message: Message) => void, metrics: Pick<Metrics, 'values'>): ParentProcess {
  // When the parent is gone, node:cluster ends this process.
  const send = (message: FromApiWorker): void => {
    if (process.connected) process.send?.(message);
  };
  process.on('message', (message: ToApiWorker) => {
    if (message.kind === 'message') onMessage(message.message);
    else
      metrics.values().then(
        values => send({ kind: 'metrics', id: message.id, values }),
        () => undefined, // the parent does without
      );
  });
  return {
    send: message => send({ kind: 'message', message }),
    listening: port => send({ kind: 'listening', port }),
  };
}
