import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { http } from '../../base/lib/node-http.ts';
import { type ApiError, asApiError, errorBody } from '../http/errors.ts';
import { JSON_TYPE } from '../http/headers.ts';

/** Responds to a request for an upgrade with the status of an error, and closes its connection. */
export function refuseUpgrade(socket: Duplex, thrown: unknown): void {
  const { statusCode, retryAfter } = asApiError(thrown);
  const retry = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`;
  socket.on('error', () => undefined);
  socket.end(`HTTP/1.1 ${statusCode} Refused\r\nConnection: close\r\n${retry}Content-Length: 0\r\n\r\n`, () => {
    socket.destroy(); // the client may keep its half open
  });
}

/** Refuses the request that would begin a session of socket.io. Engine.io sets the response object of all requests but upgrades. */
export function refuseSession(request: IncomingMessage & { readonly res?: unknown }, thrown: unknown): void {
  const { res: response } = request;
  if (response instanceof http.ServerResponse) refuseRequest(response, asApiError(thrown));
  else refuseUpgrade(request.socket, thrown);
}

function refuseRequest(response: ServerResponse, error: ApiError): void {
  if (error.retryAfter !== undefined) response.setHeader('Retry-After', error.retryAfter);
  response.writeHead(error.statusCode, { 'Content-Type': JSON_TYPE }).end(errorBody(error));
}
