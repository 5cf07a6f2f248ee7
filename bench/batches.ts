import { connect, type Socket } from 'node:net';
import { quantileOf } from './report.ts';

/** The cost of a request, with server and client in one process. */
export interface RequestCost {
  /** Microseconds of CPU of this process for one request, less those of the client: the 5th percentile of all batches. */
  readonly cpuMicros: number;
  /** Mean size of a body. */
  readonly bodyBytes: number;
  /** The number of responses with another status than 200. */
  readonly failures: number;
  readonly requests: number;
}

/** Requests of a batch, and connections that share them. */
const BATCH = 16;
const CONNECTIONS = 4;
/** The quantile of all batches that counts: a fast one, which other programs hardly disturbed. */
const FASTEST = 0.05;
const FEWEST_BATCHES = 3;

/** A client in the process of the server; its own CPU time is measured and subtracted. */
export interface Batches {
  /**
   * Sends requests in batches for some seconds. As one of the fastest of many batches counts, other programs hardly affect the result: it repeats within
   * a few percent, even on a busy machine.
   * @param path gives the path of the next request
   */
  measure(port: number, path: () => string, seconds: number): Promise<RequestCost>;
  close(): void;
}

export function openBatches(): Batches {
  const clients = new Map<number, Promise<Client[]>>();
  const clientsOf = (port: number) => {
    const open = clients.get(port) ?? Promise.all(Array.from({ length: CONNECTIONS }, () => openClient(port)));
    clients.set(port, open);
    return open;
  };
  return {
    async measure(port, path, seconds) {
      const asking = await clientsOf(port);
      const total = () =>
        asking.reduce(
          (sum, { used }) => ({
            bytes: sum.bytes + used.bytes,
            failures: sum.failures + used.failures,
            micros: sum.micros + used.micros,
          }),
          { bytes: 0, failures: 0, micros: 0 },
        );
      const before = total();
      const costs: number[] = [];
      const clientCosts: number[] = [];
      const end = performance.now() + seconds * 1000;
      while (performance.now() < end || costs.length < FEWEST_BATCHES) {
        const clientBefore = total().micros;
        const cpu = process.cpuUsage();
        await Promise.all(asking.map(each => each.ask(BATCH / CONNECTIONS, path)));
        const { user, system } = process.cpuUsage(cpu);
        costs.push((user + system) / BATCH);
        clientCosts.push((total().micros - clientBefore) / BATCH);
      }
      const requests = costs.length * BATCH;
      const { bytes, failures } = total();
      return {
        cpuMicros: quantileOf(costs, FASTEST) - quantileOf(clientCosts, FASTEST),
        bodyBytes: (bytes - before.bytes) / requests,
        failures: failures - before.failures,
        requests,
      };
    },
    close() {
      for (const open of clients.values()) void open.then(all => all.map(client => client.close()));
    },
  };
}

interface Client {
  /** Sends a number of requests, one after the other. */
  ask(count: number, path: () => string): Promise<void>;
  /** The totals so far: body bytes, responses other than 200, and CPU microseconds of this client. */
  readonly used: { bytes: number; failures: number; micros: number };
  close(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** A connection that reads status and length of a response only. */
async function openClient(port: number): Promise<Client> {
  const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const used = { bytes: 0, failures: 0, micros: 0 };
  let left = 0;
  let nextPath: () => string = () => '/';
  let done: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Bytes of the response that have not arrived; undefined before its head has. */
  let missing: number | undefined;
  let head: Buffer = Buffer.alloc(0);

  function send(): void {
    socket.write(`GET ${nextPath()} HTTP/1.1\r\nHost: x\r\n\r\n`);
  }

  function receive(chunk: Buffer): void {
    if (missing === undefined) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end < 0) return;
      const text = head.toString('latin1', 0, end);
      if (text.slice(9, 12) !== '200') used.failures++;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
      used.bytes += length;
      missing = end + HEAD_END.length + length - head.length;
      head = Buffer.alloc(0);
    } else {
      missing -= chunk.length;
    }
    if (missing > 0) return;
    missing = undefined;
    if (--left > 0) send();
    else done.resolve();
  }

  function timed(work: () => void): void {
    const start = performance.now();
    work();
    used.micros += (performance.now() - start) * 1000;
  }

  socket.on('data', chunk => timed(() => receive(chunk)));
  socket
    .on('error', error => done.reject(error))
    .on('close', () => done.reject(new Error('the server closed a connection')));
  return {
    ask(count, path) {
      left = count;
      nextPath = path;
      done = Promise.withResolvers();
      timed(send);
      return done.promise;
    },
    used,
    close: () => socket.removeAllListeners('close').destroy(),
  };
}
