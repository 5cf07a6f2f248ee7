import type { IncomingHttpHeaders } from 'node:http';
import { endToEnd, type MessageHeaders } from '../../base/lib/end-to-end-headers.ts';

/** Of the client's connection to this server: the node gets its own. */
const OF_THIS_SERVER: ReadonlySet<string> = new Set(['host', 'expect', 'content-length']);

/** Headers that this server sets itself on every response. */
const OURS = /^(access-control-|x-api-version$|x-stacks-(tip|burn-block)-)/;

/** The headers of a client's request that go to the node; the length of the body is for the sender to add. */
export function headersForNode(headers: IncomingHttpHeaders, passAuthorization: boolean): MessageHeaders {
  return endToEnd(headers, name => OF_THIS_SERVER.has(name) || (name === 'authorization' && !passAuthorization));
}

/** The headers of the node's response that go to the client. @param node its URL, which no client learns */
export function headersForClient(headers: IncomingHttpHeaders, node: string): MessageHeaders {
  const { location } = headers;
  const kept = endToEnd(headers, name => OURS.test(name));
  return location === undefined ? kept : { ...kept, location: redirectedHere(location, node) };
}

/** A redirect of the node to itself becomes a redirect to the same path of this server. */
function redirectedHere(location: string, node: string): string {
  const base = new URL(node);
  const target = URL.parse(location, node);
  if (target?.origin !== base.origin) return location;
  const path = target.pathname + target.search + target.hash;
  const before = base.pathname.replace(/\/$/, '');
  return path.startsWith(`${before}/`) ? path.slice(before.length) : path;
}
