import type { Metrics } from '../metrics/metrics.ts';
import type { FromApiWorker, ToApiWorker } from './api-workers.ts';
import type { Message } from './messages.ts';

/** The parent of an API worker, as the worker sees it. See api-workers.ts. */
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
        () => undefined, // the parent does not wait for it
      );
  });
  return {
    send: message => send({ kind: 'message', message }),
    listening: port => send({ kind: 'listening', port }),
  };
}
