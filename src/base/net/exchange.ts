import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { DeadlineError } from '../lib/deadline.ts';

interface ExchangeOptions {
  readonly lookup: LookupFunction;
  readonly headers: Readonly<Record<string, string>>;
  /** Limit for establishing the connection, TLS included. */
  readonly connectMs: number;
  /** Aborting it destroys the socket at once, also while the body is read. */
  readonly signal: AbortSignal;
  /** Makes it a POST. */
  readonly body?: string;
}

/** Most interim responses (1xx) to one request; a server that sends more has failed. */
const INTERIM_RESPONSES = 10;

/**
 * One GET, or POST of a body, over a connection of its own: connections are not reused, so every one is checked. TLS
 * certificates are verified; proxy settings of the environment have no effect. Resolves with the headers, whatever the
 * status; redirects are not followed. Settles whatever the server does: a connection that closes without a response,
 * such as after a change of protocols (101), is an error.
 * @throws DeadlineError without a connection in time, else the error of the socket
 */
export async function exchange(url: URL, { connectMs, body, ...options }: ExchangeOptions): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  // Loaded here, as importing node:http loads the WebSocket client of Node.js, too: a tenth of the start of a command that sends no request.
  const { request: send } = await (secure ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const request = send(url, { ...options, method, agent: false });
    const late = () => request.destroy(new DeadlineError(`no connection in ${connectMs} ms`));
    const timer = setTimeout(late, connectMs);
    const connected = () => clearTimeout(timer);
    request.once('socket', socket => socket.once(secure ? 'secureConnect' : 'connect', connected));
    let interim = 0;
    request.on('information', () => {
      if (++interim > INTERIM_RESPONSES) request.destroy(new Error(`more than ${INTERIM_RESPONSES} interim responses`));
    });
    request.once('response', resolve);
    // Stays after the response: the same error reaches the reader of the body.
    request.on('error', reject);
    request.once('close', () => {
      connected();
      reject(new Error('the connection closed without a response'));
    });
    request.end(body);
  });
}
