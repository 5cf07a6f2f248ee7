import type { IncomingHttpHeaders } from 'node:http';
import { endToEnd, type Headers } from '../lib/end-to-end-headers.ts';

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
