import { connect, type Socket } from 'node:net';

/** What a run of requests gave. Times in milliseconds. */
export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Mean size of a body in bytes. */
  readonly bodyBytes: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Gives the next path to ask for. */
  readonly path: () => string;
  readonly headers?: string;
}

/**
 * Asks one question after the other on each of some connections, as fast as answers come. Written on sockets, so that the
 * client costs little beside the server: it reads only the status and the length of an answer.
 */
export async function load(options: LoadOptions): Promise<Load> {
  const results: Connection[] = await Promise.all(
    Array.from({ length: options.connections }, () => runConnection(options)),
  );
  const times = Float64Array.from(results.flatMap(result => result.times)).sort();
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  const statuses: Record<string, number> = {};
  for (const result of results)
    for (const [status, count] of Object.entries(result.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  return {
    requests: times.length,
    perSecond: times.length / options.seconds,
    p50: at(0.5),
    p99: at(0.99),
    bodyBytes: results.reduce((sum, result) => sum + result.bytes, 0) / Math.max(times.length, 1),
    statuses,
  };
}

interface Connection {
  readonly times: number[];
  readonly statuses: Record<string, number>;
  bytes: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

function runConnection({ port, seconds, path, headers = '' }: LoadOptions): Promise<Connection> {
  const result: Connection = { times: [], statuses: {}, bytes: 0 };
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const socket: Socket = connect(port, '127.0.0.1');
  const end = performance.now() + seconds * 1000;
  let asked = 0;
  let pending: Buffer[] = [];
  let length = 0;
  /** Of the answer that is arriving, head included; undefined until its head is there. */
  let expected: number | undefined;

  const ask = (): void => {
    if (performance.now() >= end) {
      socket.destroy();
      resolve(result);
      return;
    }
    asked = performance.now();
    socket.write(`GET ${path()} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  };
  socket.setNoDelay(true).on('connect', ask).on('error', reject);
  socket.on('data', (chunk: Buffer) => {
    pending.push(chunk);
    length += chunk.length;
    if (expected === undefined) {
      const bytes = pending.length === 1 ? chunk : Buffer.concat(pending);
      pending = [bytes];
      const headEnd = bytes.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = bytes.toString('latin1', 0, headEnd);
      const status = head.slice(9, 12);
      result.statuses[status] = (result.statuses[status] ?? 0) + 1;
      const body = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      result.bytes += body;
      expected = headEnd + 4 + body;
    }
    if (length < expected) return;
    result.times.push(performance.now() - asked);
    pending = [];
    length = 0;
    expected = undefined;
    ask();
  });
  return promise;
}
