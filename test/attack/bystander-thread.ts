/** The thread of bystanders.ts. */
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Errands, Observed } from './bystanders.ts';

const PROBE_EVERY_MS = 10;
const EVENT_EVERY_MS = 20;
/** The pause of each client between two pages. */
const REST_MS = 5;

const { port, eventPort, clients, paths, event } = workerData as Errands;
const livez: number[] = [];
const events: number[] = [];
const others: number[] = [];
let refused = 0;
let going = true;

/** Sends one request, and notes how long the whole response took. */
function ask(times: number[], to: number, path: string, agent: Agent | false, body?: Uint8Array): Promise<void> {
  const begun = performance.now();
  return new Promise(resolve => {
    const done = (status: number | undefined) => {
      times.push(performance.now() - begun);
      if (status !== 200) refused++;
      resolve();
    };
    request({ host: '127.0.0.1', port: to, path, agent, method: body ? 'POST' : 'GET' }, response => {
      response.resume().once('end', () => done(response.statusCode));
    })
      .once('error', () => done(undefined))
      .end(body);
  });
}

async function probe(): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (; going; await delay(PROBE_EVERY_MS)) await ask(livez, port, '/livez', agent);
  agent.destroy();
}

/** Posts each event on a connection of its own, as a node does. */
async function postEvents(): Promise<void> {
  for (; going; await delay(EVENT_EVERY_MS)) await ask(events, eventPort, event.path, false, event.body);
}

async function readPages(first: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (let i = first; going; i += clients) {
    const path = paths[i % paths.length] ?? '/extended';
    // The meaningless parameter makes each URL new, so that no page comes from a cache.
    await ask(others, port, `${path}${path.includes('?') ? '&' : '?'}page_of=${i}`, agent);
    await delay(REST_MS);
  }
  agent.destroy();
}

const all = [probe(), postEvents(), ...Array.from({ length: clients }, (_, i) => readPages(i))];
parentPort?.once('message', async () => {
  going = false;
  await Promise.all(all);
  parentPort?.postMessage({ livez, events, others, refused } satisfies Observed);
});
