import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How a server of archives behaves; it may be changed between two requests. */
export interface Behaviour {
  content: Buffer;
  /** Validators of this version; undefined: the server sends none. */
  etag?: string | undefined;
  modified?: string | undefined;
  /** Whether it knows Range and If-Range. */
  ranges: boolean;
  /** It closes each connection after so many bytes of a body. */
  breakAfter?: number | undefined;
  /** It announces no length. */
  chunked?: boolean;
  /** Statuses of the next requests, before it sends the file. */
  refusals: { status: number; headers?: Record<string, string> }[];
  /** Text of the `.sha256` beside it; undefined: 404. */
  checksum?: string | undefined;
  /** Text of the `.minisig` beside it; undefined: 404. */
  signature?: string | undefined;
  encoding?: string;
  /** Milliseconds between two parts of 4 kB. */
  pauseMs?: number | undefined;
  /** It sends that many bytes and then nothing more. */
  stallAfter?: number | undefined;
}

export interface ArchiveServer {
  readonly url: string;
  readonly behaviour: Behaviour;
  /** The Range header of each request for the archive; `all` without one. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** A server of one archive at /archive, on a loopback address. */
export async function startArchiveServer(content: Buffer, given: Partial<Behaviour> = {}): Promise<ArchiveServer> {
  const behaviour: Behaviour = { content, etag: '"one"', ranges: true, refusals: [], ...given };
  const requests: string[] = [];
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.sha256')) return sendText(behaviour.checksum, response);
    if (request.url?.endsWith('.minisig')) return sendText(behaviour.signature, response);
    requests.push(request.headers.range ?? 'all');
    void send(behaviour, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`,
    behaviour,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function sendText(text: string | undefined, response: ServerResponse): void {
  response.statusCode = text === undefined ? 404 : 200;
  response.end(text ?? 'not found');
}

async function send(behaviour: Behaviour, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { content, etag, modified, encoding } = behaviour;
  const refusal = behaviour.refusals.shift();
  if (refusal) {
    response.writeHead(refusal.status, refusal.headers).end();
    return;
  }
  const condition = request.headers['if-range'];
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const isRange =
    behaviour.ranges && start > 0 && (condition === undefined || condition === etag || condition === modified);
  if (isRange && start >= content.length) {
    response.writeHead(416).end();
    return;
  }
  const body = isRange ? content.subarray(start) : content;
  response.writeHead(isRange ? 206 : 200, {
    ...(etag !== undefined && { etag }),
    ...(modified !== undefined && { 'last-modified': modified }),
    ...(encoding !== undefined && { 'content-encoding': encoding }),
    ...(isRange && { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }),
    ...(!behaviour.chunked && { 'content-length': String(body.length) }),
  });
  const { stallAfter, breakAfter } = behaviour;
  // Two for each part.
  response.setMaxListeners(0);
  const most = stallAfter ?? breakAfter ?? body.length;
  const part = behaviour.pauseMs === undefined ? 65_536 : 4096;
  for (let sent = 0; sent < Math.min(most, body.length); sent += part) {
    if (behaviour.pauseMs !== undefined) await delay(behaviour.pauseMs);
    const isFull = !response.write(body.subarray(sent, Math.min(sent + part, most)));
    if (isFull && !response.destroyed) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (response.destroyed) return;
  }
  if (stallAfter !== undefined) return;
  // What was written reaches the client before the connection ends.
  if (most < body.length) setTimeout(() => response.destroy(), 20);
  else response.end();
}
