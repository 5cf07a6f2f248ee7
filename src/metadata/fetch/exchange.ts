import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { DeadlineError } from '../../lib/deadline.ts';

export interface ExchangeOptions {
  readonly lookup: LookupFunction;
  readonly headers: Readonly<Record<string, string>>;
  /** Until the connection stands, TLS included. */
  readonly connectMs: number;
  /** Aborting it destroys the socket at once, also while the body is read. */
  readonly signal: AbortSignal;
}

/**
 * One GET over a connection of its own: none is kept, so none can be used that was not checked. TLS certificates are verified; proxy
 * settings of the environment have no effect. Resolves with the headers, whatever the status; redirects are not followed.
 * @throws DeadlineError without a connection in time, else what the socket says
 */
export function exchange(url: URL, { connectMs, ...options }: ExchangeOptions): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (secure ? httpsRequest : httpRequest)(url, { ...options, method: 'GET', agent: false });
    const late = () => request.destroy(new DeadlineError(`no connection in ${connectMs} ms`));
    const timer = setTimeout(late, connectMs);
    const connected = () => clearTimeout(timer);
    request.once('socket', socket => socket.once(secure ? 'secureConnect' : 'connect', connected));
    request.once('close', connected);
    request.once('response', resolve);
    // Stays after the response: the same error reaches the reader of the body.
    request.on('error', reject);
    request.end();
  });
}
