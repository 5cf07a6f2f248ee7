import type { IncomingHttpHeaders } from 'node:http';

export type Headers = Readonly<Record<string, string | string[]>>;

/** Headers about one connection, not about the message (RFC 9110 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** Of the client's connection to this server: the node gets its own. */
const OF_THIS_SERVER: ReadonlySet<string> = new Set(['host', 'expect', 'content-length']);

/** What this server says of itself on every response. */
const OURS = /^(access-control-|x-api-version$|x-stacks-(tip|burn-block)-)/;

/** The headers of a client's request that go to the node; the length of the body is for the sender to add. */
export function headersForNode(headers: IncomingHttpHeaders, passAuthorization: boolean): Headers {
  return endToEnd(headers, name => OF_THIS_SERVER.has(name) || (name === 'authorization' && !passAuthorization));
}

/** The headers of the node's response that go to the client. */
export const headersForClient = (headers: IncomingHttpHeaders): Headers => endToEnd(headers, name => OURS.test(name));

function endToEnd(headers: IncomingHttpHeaders, isDropped: (name: string) => boolean): Headers {
  const named = new Set(
    String(headers.connection ?? '')
      .split(',')
      .map(name => name.trim().toLowerCase()),
  );
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || named.has(name) || isDropped(name)) continue;
    kept[name] = value;
  }
  return kept;
}
