import { once } from 'node:events';
import { type Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Request } from '../support/requests.ts';

/** Opens a connection to the API from a loopback address. Whatever it reads is discarded. */
export async function open(port: number, from = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {}); // the server may close it
  await once(socket, 'connect');
  return socket;
}

export const head = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

/** @returns the status; 0 without a response */
export function statusOf(
  port: number,
  path: string,
  agent: Agent | false = false,
  {
    method = 'get',
    body,
    from = '127.0.0.1',
  }: Partial<Pick<Request, 'method' | 'body'>> & { readonly from?: string } = {},
): Promise<number> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise(resolve => {
    request(
      { host: '127.0.0.1', localAddress: from, port, path, agent, method: method.toUpperCase(), headers },
      response => {
        const { statusCode = 0, headers } = response;
        response.once('error', () => resolve(0)).once('close', () => resolve(statusCode));
        // A stream has no end, so its body is not awaited.
        if (!headers['content-type']?.startsWith('text/event-stream')) return void response.resume();
        resolve(statusCode);
        response.destroy();
      },
    )
      .once('error', () => resolve(0))
      .end(body);
  });
}

/** The loopback addresses of the attacker. Bystanders have 127.0.0.1. */
export const addressOf = (client: number, addresses = 4): string => `127.0.3.${1 + (client % addresses)}`;

/** Bytes of a response that a client has read so far; it reads on until it is destroyed. */
export function counted(socket: Socket): () => number {
  let bytes = 0;
  socket.on('data', chunk => {
    bytes += chunk.length;
  });
  return () => bytes;
}
