import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { TestEventSource } from '../support/event-source.ts';
import { LogClient } from '../support/log-client.ts';
import { scale } from '../support/scale.ts';
import { until } from '../support/until.ts';
import type { Cleanup } from './cleanup.ts';

/** Whom a client of the stream can ask. */
export interface StreamingNode {
  readonly port: number;
  get(path: string): Promise<{ readonly body: { readonly [key: string]: unknown } | undefined }>;
}

export interface Wanderer {
  /** Waits until what it was told is what a node lists. @throws what it was told that cannot be */
  untilKnows(node: StreamingNode): Promise<void>;
  stop(): Promise<void>;
}

const TOPICS = 'block,burn-block,contract-log:ST000000000000000000002AMW42H.pox-4';
const RETRY_MS = 50;
/** Between two visits: each takes time that the processes need. */
const PAUSE_MS = scale === 'short' ? 200 : 0;

/** A client of the stream that dies after a few events, and comes back to the next node with nothing but the id of the last event that it has read. */
export function startWanderer(nodes: readonly StreamingNode[], cleanup: Cleanup): Wanderer {
  const client = new LogClient();
  const stopping = new AbortController();
  let failure: unknown;
  let visits = 0;

  async function visit({ port }: StreamingNode, events: number): Promise<void> {
    const after = client.token ?? '0.0000000000.4';
    const source = await TestEventSource.open(port, `/extended/v3/stream?topics=${TOPICS}&after=${after}`);
    try {
      let applied = 0;
      let next = 0;
      while (applied < events && !source.isOver && !stopping.signal.aborted) {
        const told = source.told[next];
        if (!told) await delay(5);
        else {
          next++;
          assert.notEqual(told.event, 'gap', `${after} is not known at port ${port}`);
          if (told.id === '' || told.event === 'hello') continue;
          client.apply(told);
          applied++;
        }
      }
    } finally {
      source.close();
      client.comeBack();
    }
  }

  const running = (async () => {
    for (; !stopping.signal.aborted && failure === undefined; visits++) {
      const node = nodes[visits % nodes.length];
      assert.ok(node);
      await visit(node, 1 + ((visits * 5) % 17)).catch(async error => {
        if (error instanceof assert.AssertionError) failure = error;
        else await delay(RETRY_MS); // the node is not there
      });
      await delay(PAUSE_MS);
    }
  })();
  const stop = async () => {
    stopping.abort();
    await running;
  };
  cleanup.push(stop);
  return {
    untilKnows: async node => {
      const isSame = async () => {
        if (failure !== undefined) throw failure;
        const { body } = await node.get('/extended/v2/blocks?limit=30');
        const listed = ((body?.results ?? []) as { index_block_hash: string }[]).map(block => block.index_block_hash);
        return (
          body?.total === client.height && String(listed) === String(client.hashes.toReversed().slice(0, listed.length))
        );
      };
      await until(isSame, `after ${visits} visits the client is at ${client.token}`);
      assert.ok(visits > nodes.length, 'it never moved');
    },
    stop,
  };
}
