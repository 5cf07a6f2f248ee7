import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { writeArchive } from '../../src/ingest/node/archive/write.ts';
import { GrowingChain } from '../cost/growing-chain.ts';
import { requestsOf } from '../cost/requests.ts';
import { runProgram, runServer, type Server, untilIndexed } from '../crash/program.ts';
import { schemaStore, storeIn } from '../crash/store.ts';
import { apiDocument } from '../support/operations.ts';
import { Guard } from './guard.ts';
import { type StandIn, startStandIn } from './stand-in.ts';

/** A running server, with a chain whose next events can be posted. */
export interface Target {
  server(): Server;
  /** The options with which a command finds its index and journal. */
  readonly place: readonly string[];
  /** Paths to which it responds. */
  readonly paths: readonly string[];
  /** Deliveries that it already has. */
  known(): readonly Delivery[];
  /** Honest deliveries that it does not have yet. */
  honest(blocks: number): Delivery[];
  /** The same for one block with a number of transactions, and of events of its first transaction. */
  honestBlock(txs: number, events: number): Delivery[];
  /** Measures the turns of its event loop. */
  readonly guard: Guard;
  /** The node behind its proxy. */
  readonly node: StandIn;
  /** The newest honest block, `0x` hex. */
  newest(): string;
  /** Memory of the process that is not a mapped file, in bytes. */
  memory(): number;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Transactions of each block of a history. */
const IN_A_BLOCK = 1_000;
/** The key of the faucet, whose account is empty. */
const FAUCET_KEY = '01'.repeat(32);

/**
 * @param size of the chain
 * @param database of a PostgreSQL server, instead of a directory
 */
export async function startTarget(
  { blocks, history }: { readonly blocks: number; readonly history: number },
  database?: string,
): Promise<Target> {
  const home = mkdtempSync(join(tmpdir(), 'stacks-index-attack-'));
  const store = database === undefined ? storeIn(home) : schemaStore(database);
  const place = store.args;
  const archive = join(home, 'chain.tsv');
  const chain = new GrowingChain();
  const known = chain.begin();
  for (let txs = 0; txs < history; txs += IN_A_BLOCK) known.push(...chain.growBy(IN_A_BLOCK));
  known.push(...chain.grow(blocks), chain.announce());
  await writeArchive(archive, archived(known));
  await succeed(['replay', archive, ...place]);
  const guard = new Guard(join(home, 'guard'));
  const node = await startStandIn();
  const options = ['--node-proxy', node.url, '--faucet-node', node.url];
  const start = async () => {
    const server = await runServer([...place, ...options], { ...guard.environment, FAUCET_PRIVATE_KEY: FAUCET_KEY });
    if (!(await server.ready)) throw new Error(server.output());
    await untilIndexed(server);
    return server;
  };
  let server = await start();
  return {
    server: () => server,
    place,
    paths: requestsOf(chain, await apiDocument()).map(({ path }) => path),
    known: () => known,
    honest: count => chain.grow(count),
    honestBlock: (txs, events) => chain.growBy(txs, events),
    newest: () => chain.top.hash,
    guard,
    node,
    memory: () => memoryOf(server.pid),
    async restart() {
      await server.kill('SIGKILL');
      server = await start();
    },
    async close() {
      await server.kill();
      await node.close();
      await store.remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Runs a command to its end. @throws unless it succeeds */
export async function succeed(args: readonly string[]): Promise<void> {
  const program = runProgram(args);
  const { code } = await program.ended;
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${program.output()}`);
}

export async function* archived(deliveries: readonly Delivery[]) {
  for (const [i, { path, body }] of deliveries.entries()) yield { id: i + 1, receivedAt: i, path, body };
}

/** The memory of a process without mapped files: the system counts mapped pages of the index too, but can reclaim them. */
export function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return 1024 * (kilobytes('RssAnon') + kilobytes('RssShmem'));
}
