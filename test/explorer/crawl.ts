import assert from 'node:assert/strict';
import { OWN_REQUEST } from '../../src/api/http/deprecation.ts';
import { scale } from '../support/scale.ts';
import type { TestIndex } from '../support/test-index.ts';

/** Which links are followed: of each kind the first, and then one in so many, as late ones differ from early ones. */
interface Followed {
  readonly first: number;
  readonly oneIn: number;
}

/** Links to follow of the sample chain. */
export const OF_SAMPLE: Followed = scale === 'all' ? { first: 0, oneIn: 1 } : { first: 1, oneIn: 90 };

/**
 * Follows the links of pages of the explorer, those to JSON too, and asserts that each is a page or a record of this server.
 * @returns the number of addresses that were requested
 */
export async function crawl(
  index: Pick<TestIndex, 'page'>,
  starts: readonly string[],
  { first, oneIn }: Followed,
): Promise<number> {
  const queue: { readonly path: string; readonly from: string }[] = starts.map(path => ({ path, from: 'the start' }));
  const known = new Set(starts);
  const seen = new Map<string, number>();
  let requested = 0;
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { path, from } = next;
    const { status, headers, body } = await index.page(path, OWN_REQUEST);
    requested++;
    assert.ok(status < 400, `${from} links to ${path}: ${status}`);
    const isPage = /^\/explorer(\/|\?|$)/.test(path) && String(headers['content-type']).startsWith('text/html');
    if (!isPage) continue;
    for (const link of linksOf(path, body)) {
      if (known.has(link)) continue;
      known.add(link);
      const kind = kindOf(link);
      const place = seen.get(kind) ?? 0;
      seen.set(kind, place + 1);
      if (place < first || place % oneIn === 0) queue.push({ path: link, from: path });
    }
  }
  return requested;
}

function linksOf(path: string, body: string): string[] {
  const base = new URL(/<base href="([^"]+)">/.exec(body)?.[1] ?? '', `http://a${path}`);
  return [...body.matchAll(/<(?!base)[^>]* (?:href|src|action)="([^"]+)"/g)].map(([, href = '']) => {
    const { host, pathname, search } = new URL(href.replaceAll('&amp;', '&'), base);
    assert.equal(host, 'a', `${path} links to another host: ${href}`);
    return pathname + search;
  });
}

/** Its words, without ids and numbers, and the names of its parameters. */
function kindOf(link: string): string {
  const { pathname, searchParams } = new URL(link, 'http://a');
  const words = pathname.split('/').map(part => (/^[a-z][a-z0-9_-]{0,30}$/.test(part) ? part : ':'));
  const depth = pathname.startsWith('/explorer/') ? 3 : words.length;
  const last = words.slice(depth).filter(word => word !== ':');
  return `${words.slice(0, depth).join('/')}/${last}?${[...searchParams.keys()].sort()}`;
}
