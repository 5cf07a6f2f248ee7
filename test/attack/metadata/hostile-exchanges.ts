import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createFetcher } from '../../../src/metadata/fetch/fetch-document.ts';
import { DEFAULT_GATEWAYS } from '../../../src/metadata/fetch/gateways.ts';
import { createHostGate } from '../../../src/metadata/fetch/host-gate.ts';
import { DEFAULT_METADATA_LIMITS, type MetadataLimits } from '../../../src/metadata/limits.ts';

/** One action of a server on a connection after a request has arrived. */
export type Move =
  | { readonly kind: 'send'; readonly text: string; readonly times: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'half-close' | 'close' | 'reset' };

/** The actions of a hostile server, in order; at the end it leaves the connection open. */
export type Script = readonly Move[];

const send = (text: string, times = 1): Move => ({ kind: 'send', text, times });

/** Actions that real servers do or that HTTP permits. Scripts are sequences of these. */
export const MOVES: readonly Move[] = [
  send('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: any\r\n\r\n'),
  send('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  send('HTTP/1.1 100 Continue\r\n\r\n'),
  send('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n', 20_000),
  send('HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: any\r\n\r\n'),
  send('HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{"name":"A"}'),
  send('HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{"name"'),
  send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
  send('1\r\n \r\n', 20_000),
  send('1;x=y\r\n \r\n', 100),
  send('0\r\nTrailer: x\r\n', 1),
  send('HTTP/1.1 204 No Content\r\n\r\n'),
  send('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'),
  send('HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  send('HTTP/1.1 429 Slow down\r\nContent-Length: 0\r\n\r\n'),
  send('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc'),
  send('HTTP/9.9 999 ?\r\n\r\n'),
  send('HTTP/1.1 200'),
  send('X: y\r\n', 3_000),
  send('\0\0\0\0'),
  { kind: 'wait', ms: 20 },
  { kind: 'wait', ms: 300 },
  { kind: 'half-close' },
  { kind: 'close' },
  { kind: 'reset' },
];

async function play(script: Script, socket: Socket): Promise<void> {
  for (const move of script) {
    if (socket.destroyed) return;
    switch (move.kind) {
      case 'send':
        socket.write(move.text.repeat(move.times));
        break;
      case 'wait':
        await new Promise(resolve => setTimeout(resolve, move.ms));
        break;
      case 'half-close':
        socket.end();
        break;
      case 'close':
        socket.destroySoon();
        break;
      case 'reset':
        // After a half-close the platform keeps the handle of a socket that is reset.
        if (socket.writableEnded) socket.destroy();
        else socket.resetAndDestroy();
        break;
      default:
        move satisfies never;
    }
  }
}

/** A server on loopback that plays one script to every connection. */
async function startScript(script: Script): Promise<{ readonly host: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', () => void play(script, socket));
    socket.resume();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise(resolve => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export interface ExchangeAttack {
  /** Each script gets a server of its own; `fetches` fetches request it at once. */
  readonly scripts: readonly Script[];
  readonly fetches: number;
  /** The time limit of one fetch. */
  readonly documentMs: number;
}

export interface ExchangeFindings {
  /** Fetches that gave a value or an error. */
  readonly settled: number;
  /** Slots of hosts that were not released. */
  readonly lostSlots: number;
  /** The time of the slowest fetch. */
  readonly slowestMs: number;
}

/** Fetches documents from servers that play these scripts, then counts what was lost. Rejects if a fetch throws. */
export async function attackExchanges({ scripts, fetches, documentMs }: ExchangeAttack): Promise<ExchangeFindings> {
  const servers = await Promise.all(scripts.map(startScript));
  const limits: MetadataLimits = {
    ...DEFAULT_METADATA_LIMITS,
    documentMs,
    connectMs: documentMs,
    hostWaitMs: 120_000,
    hostConcurrency: fetches,
    hostRequestsPerSecond: 10_000,
    retryAfterMs: 1,
    defaultRetryAfterMs: 1,
  };
  const gate = createHostGate({ limits });
  const fetcher = createFetcher({
    limits,
    gateways: DEFAULT_GATEWAYS,
    allowHosts: servers.map(({ host }) => host),
    allowPorts: [],
    gate,
    version: 'attack',
    replaceIds: false,
  });
  try {
    const times = await Promise.all(
      servers.flatMap(({ host }) =>
        Array.from({ length: fetches }, async () => {
          const started = performance.now();
          await fetcher.fetchDocument(`http://${host}/`, { id: '1' });
          return performance.now() - started;
        }),
      ),
    );
    return { settled: times.length, lostSlots: gate.running(), slowestMs: Math.max(...times) };
  } finally {
    await Promise.all(servers.map(server => server.close()));
  }
}
