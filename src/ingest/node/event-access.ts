import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret, showsSecret } from '../../base/lib/secrets.ts';

/** Whether a sender may post events. `path` is the rest of the URL's path, for the event server. */
type Access = { readonly allowed: true; readonly path: string } | { readonly allowed: false; readonly reason: string };

/**
 * Distinguishes nodes from other senders. A browser names the origin of its request (`Origin`, `Sec-Fetch-Site`); a node never
 * does, so a web page cannot post events through its visitor. With a secret, the sender must show it: a node by the observer's
 * endpoint, which may have a path (`endpoint = "host:port/SECRET"`), others also as `Authorization: Bearer SECRET`.
 */
export function checkAccess(path: string, headers: IncomingHttpHeaders, secret: string | undefined): Access {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return { allowed: false, reason: 'browsers cannot post events' };
  if (secret === undefined) return { allowed: true, path };
  if (showsSecret(headers, secret)) return { allowed: true, path };
  const [, first = '', ...rest] = path.split('/');
  if (isSameSecret(first, secret)) return { allowed: true, path: `/${rest.join('/')}` };
  return { allowed: false, reason: 'the shared secret is missing or wrong' };
}
