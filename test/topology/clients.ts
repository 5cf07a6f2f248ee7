import { setTimeout as delay } from 'node:timers/promises';
import { scale } from '../support/scale.ts';
import { until } from '../support/until.ts';
import { type Follower, type History, WATCHED } from './history.ts';
import type { ApiNode } from './processes.ts';

/** Clients that send requests to API nodes all the time, and their responses. */
export interface Clients {
  /** Until each client has got a response from the database that it asked for from now on. */
  untilAnswered(): Promise<void>;
  /** @returns what no client may be told, and how many responses of each kind there were */
  stop(): Promise<{ readonly wrong: readonly string[]; readonly answered: number; readonly unavailable: number }>;
}

/** Between two requests of a client: each takes time that the processes need. */
const PAUSE_MS = scale === 'short' ? 400 : 40;

export function startClients(
  nodes: readonly ApiNode[],
  history: History,
  perNode: number,
  others: readonly string[],
): Clients {
  const stopping = new AbortController();
  const wrong: string[] = [];
  let answered = 0;
  let unavailable = 0;
  const clients = nodes.flatMap((node, n) =>
    Array.from({ length: perNode }, (_, i) => ({ node, name: `client ${i} of node ${n}`, turn: i, responses: 0 })),
  );

  async function ask(client: (typeof clients)[number], follower: Follower): Promise<void> {
    const turn = client.turn++;
    const watched = WATCHED[turn % WATCHED.length] ?? '';
    const path = turn % 4 === 0 ? (others[(turn * 7) % others.length] ?? watched) : watched;
    const { status, retryAfter, text } = await client.node.get(path);
    if (status === 503 && retryAfter !== null) {
      unavailable++;
      return;
    }
    if (status === 0 || status >= 500) wrong.push(`${client.name}: ${path}: ${status} ${text.slice(0, 300)}`);
    if (status !== 200 || path !== watched) return;
    answered++;
    if (path !== '/extended') client.responses++; // that one may come from memory
    const why = follower.see(path, text);
    if (why !== undefined) wrong.push(`${client.name}: ${path}: ${why}`);
  }

  const running = clients.map(async client => {
    const follower = history.follow();
    while (!stopping.signal.aborted) {
      await ask(client, follower);
      await delay(PAUSE_MS);
    }
  });
  return {
    untilAnswered: async () => {
      // One more than from now on: the next response may belong to an earlier request.
      const enough = clients.map(client => ({ client, responses: client.responses + 2 }));
      await until(
        () => enough.every(({ client, responses }) => client.responses >= responses),
        'the API does not respond',
      );
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
      return { wrong, answered, unavailable };
    },
  };
}
