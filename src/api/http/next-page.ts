import type { FastifyRequest } from 'fastify';
import { otherStateOf } from './shown-block.ts';

/**
 * The `Link` to the next page (RFC 8288), as of the block that this page shows: a client that follows it is not affected by new rows and
 * forks. A page begins with its envelope, so its text need not be parsed.
 */

const CURSOR = /^\{(?:"total":\d+,)?"limit":\d+,"cursor":\{"next":"([^"]+)"/;
const OFFSET =
  /^\{(?:"total_supply":"\d+",)?"limit":(\d+),"offset":(\d+),"total":(\d+)(?:,"next_cursor":(?:null|"[^"]*"),"prev_cursor":(null|"[^"]*"))?/;
const LONGEST_ENVELOPE = 1000;

/**
 * @param body JSON text of the response
 * @param indexBlockHash of the block that it shows
 * @returns the value of the header; undefined for the last page, for a body that is no page, and if the request names a state itself
 */
export function linkToNext(request: FastifyRequest, body: string, indexBlockHash: string): string | undefined {
  const next = parametersOfNext(body);
  if (next === undefined || otherStateOf(request) !== undefined) return undefined;
  // A client may name the host too, as for a proxy (RFC 9112, 3.2.2).
  const url = request.url.startsWith('/') ? request.url : request.url.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  const end = url.indexOf('?');
  const [path, query] = end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)];
  const replaced = next.map(([name, value]) => `${name}=${encodeURIComponent(value)}&`).join('');
  return `<${path}?${keptOf(query)}${replaced}at=${indexBlockHash}>; rel="next"`;
}

/** Parameters that the next page replaces. */
const REPLACED: ReadonlySet<string> = new Set(['cursor', 'offset', 'seen_tip', 'at']);

/** The other parameters of a query, unchanged, each followed by `&`. URLSearchParams takes twice as long, and most pages have a link. */
function keptOf(query: string): string {
  let kept = '';
  for (const parameter of query.split('&'))
    if (parameter !== '' && !REPLACED.has(nameOf(parameter))) kept += `${parameter}&`;
  return kept.replace(UNSAFE, encodeURIComponent);
}

/** Characters that a request line may have, but no URI (RFC 3986, 3.4): they could end the link. */
const UNSAFE = /[^\w.~%!$&'()*+,;=:@/?-]/g;

/** The name of a parameter, which a client may have escaped. */
function nameOf(parameter: string): string {
  const end = parameter.indexOf('=');
  const name = end < 0 ? parameter : parameter.slice(0, end);
  try {
    return name.includes('%') ? decodeURIComponent(name) : name;
  } catch {
    return name; // malformed escapes: the router reads the name like this, too
  }
}

/** The parameters of the next page that replace those of this one. @param body as for `linkToNext` @returns undefined for the last page, and for a body that is no page */
export function parametersOfNext(body: string): (readonly [name: string, value: string])[] | undefined {
  const envelope = body.slice(0, LONGEST_ENVELOPE);
  const cursor = CURSOR.exec(envelope)?.[1];
  if (cursor !== undefined) return [['cursor', cursor]];
  const [found, limit = '0', offset = '0', total = '0', older] = OFFSET.exec(envelope) ?? [];
  if (found === undefined || limit === '0') return undefined;
  // In a list with cursors, offsets count from the cursor.
  if (older !== undefined) return older === 'null' ? undefined : [['cursor', older.slice(1, -1)]];
  const end = Number(offset) + Number(limit);
  return end < Number(total) ? [['offset', String(end)]] : undefined;
}
