import type { FastifyRequest } from 'fastify';
import { otherStateOf } from './shown-block.ts';

/**
 * The `Link` to the next page (RFC 8288), as of the block that this page shows: rows that come later, and forks, change nothing for a client
 * that follows it. A page begins with its envelope, so its text need not be parsed.
 */

const CURSOR = /^\{(?:"total":\d+,)?"limit":\d+,"cursor":\{"next":"([^"]+)"/;
const OFFSET =
  /^\{"limit":(\d+),"offset":(\d+),"total":(\d+)(?:,"next_cursor":(?:null|"[^"]*"),"prev_cursor":(null|"[^"]*"))?/;
const LONGEST_ENVELOPE = 1000;

/**
 * @param body JSON text of the response
 * @param indexBlockHash of the block that it shows
 * @returns the value of the header; undefined for the last page, for what is no page, and where the request names a state of its own
 */
export function linkToNext(request: FastifyRequest, body: string, indexBlockHash: string): string | undefined {
  const next = parametersOfNext(body);
  if (next === undefined || otherStateOf(request) !== undefined) return undefined;
  const { url } = request;
  const end = url.indexOf('?');
  const [path, query] = end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)];
  const kept = isPlain(query) ? keptOfPlain(query) : keptOf(query);
  const own = [...next, ['at', indexBlockHash]].map(([name, value = '']) => `${name}=${encodeURIComponent(value)}`);
  return `<${path}?${[...kept, ...own].join('&')}>; rel="next"`;
}

/** Parameters that name a place in the list or a state of the chain: the next page has others. */
const REPLACED = ['cursor', 'offset', 'seen_tip', 'at'];

/** Whether the names in a query are as they are written, and all of it may be in a header: what a parser makes of it costs more than the rest of the header. */
const isPlain = (query: string): boolean => /^[\w.~!$'()*,;:@/?=&-]*$/.test(query);

const keptOfPlain = (query: string): string[] =>
  query.split('&').filter(one => one !== '' && !REPLACED.includes(one.split('=', 1)[0] ?? ''));

function keptOf(query: string): string[] {
  const parameters = new URLSearchParams(query);
  for (const name of REPLACED) parameters.delete(name);
  return [String(parameters)].filter(text => text !== '');
}

/** The parameters that the next page has in place of those of this one. @param body as for `linkToNext` @returns undefined for the last page, and for what is no page */
export function parametersOfNext(body: string): (readonly [name: string, value: string])[] | undefined {
  if (!body.startsWith('{"limit"') && !body.startsWith('{"total"')) return undefined; // most are no pages
  const envelope = body.slice(0, LONGEST_ENVELOPE);
  const cursor = CURSOR.exec(envelope)?.[1];
  if (cursor !== undefined) return [['cursor', cursor]];
  const [found, limit = '0', offset = '0', total = '0', older] = OFFSET.exec(envelope) ?? [];
  if (found === undefined || limit === '0') return undefined;
  // Where pages have cursors, offsets count from them.
  if (older !== undefined) return older === 'null' ? undefined : [['cursor', older.slice(1, -1)]];
  const end = Number(offset) + Number(limit);
  return end < Number(total) ? [['offset', String(end)]] : undefined;
}
