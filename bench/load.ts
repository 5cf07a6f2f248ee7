import { connect, type Socket } from 'node:net';

/** A request to repeat. Plain data: the parent sends it to the client process. */
export interface LoadRequest {
  /** Connections are spread over these. */
  readonly ports: readonly number[];
  /** By default this machine. */
  readonly host?: string;
  readonly connections: number;
  /** How long at most. */
  readonly seconds: number;
  /** One is chosen at random each time, unless `once` says otherwise. */
  readonly paths: readonly string[];
  /** Each path is requested once, in the order given; then the run is over. */
  readonly once?: boolean;
  /** Adds a parameter without meaning to each URL, so that no URL is requested twice. */
  readonly cold?: boolean;
  /** Header lines, each ended by CRLF. */
  readonly headers?: string;
}

/** The responses. */
export interface ApiResponses {
  /** Milliseconds of each, sorted. */
  readonly times: Float64Array;
  /** The bytes of all bodies. */
  readonly bytes: number;
  /** Responses by status. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Share of one core that the client took. */
  readonly cpuShare: number;
}

/**
 * Sends requests one after the other on each of several connections, as fast as responses arrive, until the time is over or the signal is aborted. It uses
 * sockets directly, so that the client costs little: it reads only the status and the length of a response.
 */
export async function load(request: LoadRequest, signal?: AbortSignal): Promise<ApiResponses> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  const isOver = () => signal?.aborted === true || performance.now() - started >= request.seconds * 1000;
  const left = request.paths.values();
  const choose = (): string | undefined => (request.once ? left.next().value : nextPath(request));
  const connections = await Promise.all(
    Array.from({ length: request.connections }, (_, i) =>
      runConnection(request.ports[i % request.ports.length] ?? 0, request, () => (isOver() ? undefined : choose())),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  return {
    times: Float64Array.from(connections.flatMap(({ times }) => times)).sort(),
    bytes: connections.reduce((sum, { bytes }) => sum + bytes, 0),
    statuses: addedUp(connections.map(({ statuses }) => statuses)),
    seconds,
    cpuShare: (used.user + used.system) / 1e6 / seconds,
  };
}

/** Adds counts up by their key. */
export function addedUp(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const count of counts) for (const [key, value] of Object.entries(count)) total[key] = (total[key] ?? 0) + value;
  return total;
}

interface Connection {
  readonly times: number[];
  readonly statuses: Record<string, number>;
  bytes: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** The end of a body that comes in chunks. */
const CHUNKS_END = Buffer.from('0\r\n\r\n');

/** @param choose gives the path of the next request; undefined ends the connection */
function runConnection(port: number, request: LoadRequest, choose: () => string | undefined): Promise<Connection> {
  const { headers = '' } = request;
  const result: Connection = { times: [], statuses: {}, bytes: 0 };
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const socket: Socket = connect(port, request.host ?? '127.0.0.1');
  let asked = 0;
  let pending: Buffer[] = [];
  let length = 0;
  /** The bytes of the current response with its head; undefined until the head has arrived. Infinite for a chunked body, until its end has arrived. */
  let expected: number | undefined;

  const ask = (): void => {
    const path = choose();
    if (path === undefined) {
      socket.destroy();
      resolve(result);
      return;
    }
    asked = performance.now();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  };
  socket
    .setNoDelay(true)
    .on('connect', ask)
    .on('error', reject)
    .on('close', () => reject(new Error('the server closed a connection')));
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
      const body = /\r\ntransfer-encoding: chunked/i.test(head)
        ? Number.POSITIVE_INFINITY
        : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      expected = headEnd + 4 + body;
      result.bytes -= headEnd + 4;
    }
    if (expected === Number.POSITIVE_INFINITY && endsWith(pending, CHUNKS_END)) expected = length;
    if (length < expected) return;
    result.bytes += length;
    result.times.push(performance.now() - asked);
    pending = [];
    length = 0;
    expected = undefined;
    ask();
  });
  return promise;
}

/** Whether all bytes so far end with these few. */
function endsWith(chunks: readonly Buffer[], end: Buffer): boolean {
  const last = Buffer.concat(chunks.slice(-end.length)).subarray(-end.length);
  return last.equals(end);
}

export function nextPath({ paths, cold = false }: Pick<LoadRequest, 'paths' | 'cold'>): string {
  const path = paths[Math.floor(Math.random() * paths.length)] ?? '/';
  if (!cold) return path;
  return `${path}${path.includes('?') ? '&' : '?'}_=${Math.floor(Math.random() * 2 ** 48).toString(36)}`;
}
