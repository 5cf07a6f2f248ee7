import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArchive } from '../../src/ingest/node/archive/write.ts';
import { runServer, untilIndexed } from '../crash/program.ts';
import { ChainBuilder } from '../support/chain-builder.ts';
import { until } from '../support/until.ts';
import { head, open } from './connections.ts';
import type { Finding, Size } from './finding.ts';
import { Guard } from './guard.ts';
import { archived, memoryOf, succeed } from './target.ts';
import { underWatch } from './watch.ts';

/** The number of streams from one address. */
const OF_ADDRESS = 15;

const EVENTS = { block: 'event: block\n', gap: 'event: gap\n', rollback: 'event: rollback\n' } as const;

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** Opens a stream: whether it has received a text, and the numbers of its blocks and of gaps, which replace blocks. */
async function streamUntil(port: number, from: string, text: string) {
  const socket: Socket = await open(port, from);
  const stream = { socket, hasBegun: false, hasRead: false, blocks: 0, gaps: 0, rollbacks: 0 };
  let rest = '';
  // Little work for each byte, as these clients share the two cores with the server.
  socket.on('data', chunk => {
    const read = rest + chunk.toString('latin1');
    const end = read.lastIndexOf('\n') + 1;
    const lines = read.slice(0, end);
    rest = read.slice(end);
    stream.blocks += countOf(lines, EVENTS.block);
    stream.gaps += countOf(lines, EVENTS.gap);
    stream.rollbacks += countOf(lines, EVENTS.rollback);
    stream.hasBegun ||= lines.includes('event: hello\n');
    stream.hasRead ||= lines.includes(text);
  });
  socket.write(head('/extended/v3/stream?topics=block'));
  await until(() => stream.hasBegun || socket.destroyed, 'the stream does not begin');
  return stream;
}

/** One block makes a very long fork canonical while very many streams are open. */
export async function longFork({ fork, ...size }: Size): Promise<Finding[]> {
  const home = mkdtempSync(join(tmpdir(), 'stacks-index-fork-'));
  const builder = new ChainBuilder('fork');
  const block = (parent: ReturnType<ChainBuilder['block']> | undefined) =>
    builder.block({ ...(parent && { parent }), txs: [builder.coinbase()] });
  const chainOn = (parent: ReturnType<ChainBuilder['block']>, length: number) => {
    const blocks = [block(parent)];
    while (blocks.length < length) blocks.push(block(blocks.at(-1)));
    return blocks;
  };
  const base = block(undefined);
  const lost = chainOn(base, fork.blocks);
  const won = chainOn(base, fork.blocks + 1);
  const last = won.at(-1) ?? base;
  const known = [base, ...lost, ...won.slice(0, -1)].map(({ delivery }) => delivery);
  const place = ['--data', join(home, 'data')];
  await writeArchive(join(home, 'chain.tsv'), archived(known));
  await succeed(['replay', join(home, 'chain.tsv'), ...place]);
  const guard = new Guard(join(home, 'guard'));
  const server = await runServer(place, guard.environment);
  try {
    if (!(await server.ready)) throw new Error(server.output());
    const target = { server: () => server, guard, known: () => known, memory: () => memoryOf(server.pid) };
    const streams: Awaited<ReturnType<typeof streamUntil>>[] = [];
    for (let i = 0; i < fork.streams; i++) {
      const address = Math.floor(i / OF_ADDRESS);
      streams.push(await streamUntil(server.port, `127.0.${4 + (address >> 7)}.${1 + (address & 127)}`, last.hash));
    }
    const attack = async (): Promise<Finding[]> => {
      const { status } = await server.post(last.delivery);
      await untilIndexed(server);
      await until(
        () => streams.every(({ hasRead, socket }) => hasRead || socket.destroyed),
        'streams stay behind',
        server,
      );
      const { body } = await server.get('/extended/v2/blocks/latest');
      const least = Math.min(...streams.map(({ blocks }) => blocks));
      const unaware = streams.filter(({ rollbacks }) => rollbacks === 0).length;
      const missed = streams.filter(({ hasRead }) => !hasRead).length;
      return [
        { what: 'whether the fork is refused', worst: status === 200 ? 0 : 1, bound: 0, unit: '' },
        { what: 'whether it is not the chain', worst: body?.hash === last.hash ? 0 : 1, bound: 0, unit: '' },
        { what: 'blocks that a stream lacks', worst: won.length - least, bound: 0, unit: '' },
        { what: 'streams without the rollback', worst: unaware, bound: 0, unit: '' },
        { what: 'streams with a gap', worst: streams.filter(({ gaps }) => gaps > 0).length, bound: 0, unit: '' },
        { what: 'streams that miss it', worst: missed, bound: 0, unit: '' },
      ];
    };
    const paths = ['/extended/v2/blocks?limit=20', '/extended/v1/tx?limit=20', '/extended/v2/blocks/latest'];
    const { findings } = await underWatch(target, { ...size, fork, tries: 1 }, attack, { growth: 500, paths });
    for (const { socket } of streams) socket.destroy();
    return findings;
  } finally {
    await server.kill();
    rmSync(home, { recursive: true, force: true });
  }
}
