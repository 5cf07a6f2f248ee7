/** Rules for every request, applied before routing: base headers, CORS, unknown routes, broken requests. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { ClientAddresses } from '../../base/net/client-address.ts';
import { ApiError, errorBody } from './errors.ts';
import { type ResponseHeaders, TEXT_TYPE } from './headers.ts';

/** The headers of every response at this moment, with the type of JSON. */
type HeadersNow = () => ResponseHeaders;

/**
 * The first hook of every request. JSON is the default type, so handlers just return JSON text.
 * Unknown routes and preflights get their response here, before a body would be parsed.
 */
export function openRequest(headersNow: HeadersNow, addresses: ClientAddresses): onRequestHookHandler {
  return (request, reply, done) => {
    request.client = addresses.ofRequest(request.raw);
    request.route = request.routeOptions;
    reply.headers(headersNow());
    if (hasTwoHosts(request.raw.rawHeaders)) done(new ApiError(400, 'The request has more than one Host header'));
    else if (request.method === 'OPTIONS') respondToPreflight(request, reply);
    else if (request.is404) respondToUnknownRoute(request, reply);
    else done();
  };
}

/** With two hosts, proxies and caches may use another one than this server (RFC 9112 3.2). @param headers names and values in turn */
function hasTwoHosts(headers: readonly string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i]?.length === 4 && headers[i]?.toLowerCase() === 'host') hosts++;
  return hosts > 1;
}

/** CORS preflight, on any path (docs/spec/http.md#methods-and-paths). POST is for bodies: requests to the node, faucets, long traits. */
function respondToPreflight(request: FastifyRequest, reply: FastifyReply): void {
  const { origin, 'access-control-request-method': method } = request.headers;
  if (origin === undefined || method === undefined) {
    reply.code(400).header('content-type', TEXT_TYPE).send('Invalid Preflight Request');
    return;
  }
  reply.header('access-control-allow-methods', 'GET,HEAD,POST').header('vary', 'Access-Control-Request-Headers');
  const asked = request.headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  reply.code(204).removeHeader('content-type').send();
}

/** Also responds to a method that the route does not have (docs/spec/http.md#methods-and-paths). Shows the URL as received. */
function respondToUnknownRoute(request: FastifyRequest, reply: FastifyReply): void {
  const message = `Route ${request.raw.method}:${request.raw.url} not found`;
  reply.code(404).send(JSON.stringify({ message, error: 'Not Found', statusCode: 404 }));
}

/** Responds to what the router rejects: a malformed percent escape (400) or a path segment that is too long (414). */
export function routerErrors(headersNow: HeadersNow) {
  return (error: FastifyError, _request: unknown, reply: { readonly raw: ServerResponse }): void => {
    const statusCode = error.statusCode ?? 400;
    const body = JSON.stringify({ error: 'Bad Request', code: error.code, message: error.message, statusCode });
    reply.raw.writeHead(statusCode, { ...headersNow(), 'content-length': Buffer.byteLength(body) }).end(body);
  };
}

/** Responds to bytes that are not a request, heads over the size limit (431) and requests that never end (408). */
export function clientErrors(headersNow: HeadersNow) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const known = clientErrorOf(error.code);
    const body = errorBody(known);
    const { error: reason } = JSON.parse(body) as { error: string };
    const lines = Object.entries({ ...headersNow(), connection: 'close' });
    socket.write(
      `HTTP/1.1 ${known.statusCode} ${reason}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    socket.destroySoon();
  };
}

function clientErrorOf(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(431, 'The URL and headers together are too long: keep the URL below 8 KiB');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'The request did not arrive in time');
    default:
      return new ApiError(400, 'This is not a valid HTTP request');
  }
}

/**
 * Sends a redirect without a body.
 * @param location path and query whose segments went through encodeURIComponent
 */
export function redirect(reply: FastifyReply, statusCode: 301 | 302, location: string): FastifyReply {
  // A location with unencoded characters must not make an invalid header, which would cause a 500.
  const safe = encodeURI(location.toWellFormed()).replaceAll('%25', '%');
  return reply.code(statusCode).header('location', safe).removeHeader('content-type').send();
}
