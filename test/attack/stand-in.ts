import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Worker } from 'node:worker_threads';

/** A request that a test marks. */
export interface Marked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The node behind the proxy of the server that is attacked. */
export interface StandIn {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The marked requests so far, in their order. */
  marked(): Promise<readonly Marked[]>;
  close(): Promise<void>;
}

/** Paths with large responses: one that is always forwarded, and one that clients may share. */
export const LARGE = '/v3/blocks/large';
export const LARGE_SHARED = '/v2/contracts/source/ST000000000000000000002AMW42H/large';
/** A path with a slow response, and a word in the paths of marked requests. */
export const SLOW = '/v2/contracts/source/ST000000000000000000002AMW42H/slow';
export const MARK = 'marked';

/** Responds to all requests like an idle node. It runs in a thread of its own, as the attacker keeps this one busy. */
export async function startStandIn(): Promise<StandIn> {
  const worker = new Worker(new URL('stand-in-thread.ts', import.meta.url));
  const [url] = await once(worker, 'message');
  const marked: Marked[] = [];
  worker.on('message', (message: Marked | 'all') => {
    if (message !== 'all') marked.push(message);
  });
  return {
    url,
    async marked() {
      worker.postMessage('all');
      for (;;) if ((await once(worker, 'message'))[0] === 'all') return [...marked];
    },
    close: async () => void (await worker.terminate()),
  };
}
