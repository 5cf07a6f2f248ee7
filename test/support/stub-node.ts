import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A request as the stub node got it, with its whole body. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface StubNode {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** Requests so far, in order, those included that are not answered yet. */
  readonly seen: SeenRequest[];
  /** Connections that are open now. */
  connections(): number;
  /** Requests that were not answered yet and whose sender has not hung up. */
  waiting(): number;
  /** Closes every connection. */
  hangUp(): void;
  /** Closes every connection, and accepts no more. */
  stop(): Promise<void>;
}

export type StubHandler = (request: SeenRequest, response: ServerResponse) => void;

/** A Stacks node as far as HTTP goes: responds as the test sets it, once it has read the request. */
export async function startStubNode(t: TestContext, respond: StubHandler): Promise<StubNode> {
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let waiting = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    waiting++;
    response.once('close', () => waiting--);
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const whole = { method, url, headers, body: Buffer.concat(chunks) };
      seen.push(whole);
      respond(whole, response);
    });
  });
  server.on('connection', socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= new Promise(resolve => {
      server.close(() => resolve());
      hangUp();
    });
    return stopped;
  };
  t.after(stop);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    connections: () => sockets.size,
    waiting: () => waiting,
    hangUp,
    stop,
  };
}

/** Responds with JSON. */
export function respondJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
