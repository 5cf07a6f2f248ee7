import type { TestContext } from 'node:test';
import type { Clients } from '../../src/api/http/clients.ts';
import type { ServerLimits } from '../../src/api/http/server.ts';
import type { LiveLimits } from '../../src/api/live/limits.ts';
import type { BuiltBlock, ChainBuilder } from './chain-builder.ts';
import type { OpenFresh } from './engines.ts';
import { TestEventSource } from './event-source.ts';
import { openTestIndex, type TestIndex } from './test-index.ts';
import { PATIENCE_MS } from './until.ts';

export interface LiveServer {
  readonly index: TestIndex;
  readonly port: number;
  readonly clients: Clients;
  /** Resolves when live updates have read what was delivered. */
  read(): Promise<void>;
  /** A client of the stream. */
  open(query?: string, headers?: Readonly<Record<string, string>>): Promise<TestEventSource>;
}

/** On a busy machine a client takes its time for a pong, and to read. */
const PATIENT = { pingInterval: PATIENCE_MS, maxStall: PATIENCE_MS };

/** An index in a fresh database whose API listens, until the test ends. It waits long for its clients, where `limits` say nothing else. */
export async function openLiveServer(
  t: TestContext,
  openFresh: OpenFresh,
  limits: Partial<LiveLimits & ServerLimits> = {},
): Promise<LiveServer> {
  const { database, cleanup } = await openFresh();
  const index = await openTestIndex(database, {
    limits: { maxShare: 1, ...limits },
    liveLimits: { ...PATIENT, ...limits },
  });
  const { port, clients, read, close } = await index.listen();
  const opened: TestEventSource[] = [];
  t.after(async () => {
    for (const source of opened) source.close();
    await close();
    await cleanup(); // a database that is still read waits for that
  });
  const open = async (query = '', headers: Readonly<Record<string, string>> = {}) => {
    const source = await TestEventSource.open(port, `/extended/v3/stream${query}`, headers);
    opened.push(source);
    return source;
  };
  return { index, port, clients, read, open };
}

/** Delivers so many blocks on top of one. */
export async function deliverBlocks(
  index: TestIndex,
  chain: ChainBuilder,
  count: number,
  parent?: BuiltBlock,
): Promise<BuiltBlock[]> {
  const built: BuiltBlock[] = [];
  let last = parent;
  for (let i = 0; i < count; i++) {
    last = chain.block(last ? { parent: last } : {});
    built.push(last);
  }
  await index.deliver(...built.map(({ delivery }) => delivery));
  return built;
}
