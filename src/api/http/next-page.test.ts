import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { linkToNext } from './next-page.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const PAGE = '{"limit":20,"offset":40,"total":100,"results":[]}';

/** The URL of the link of a page. */
function nextOf(url: string, body = PAGE): string | undefined {
  const request = { url, query: {} } as FastifyRequest;
  return /^<(.*)>; rel="next"$/.exec(linkToNext(request, body, HASH) ?? '')?.[1];
}

test('the link to the next page keeps the parameters of the request, but for those that name a place or a state', () => {
  const name = fc.oneof(fc.constantFrom('cursor', 'offset', 'at', 'seen_tip', 'limit', 'type[]'), fc.string());
  const pairs = fc.array(fc.tuple(name, anyText()), { maxLength: 5 });
  const encodings = [encodeURIComponent, encodeURI] as const;
  fc.assert(
    fc.property(pairs, fc.constantFrom(...encodings), fc.boolean(), (all, encoded, isForm) => {
      const wellFormed = all.map(([key, value]): [string, string] => [key.toWellFormed(), value.toWellFormed()]);
      const text = wellFormed.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&');
      const query = isForm ? String(new URLSearchParams(wellFormed)) : text;
      const kept = new URLSearchParams(query);
      for (const replaced of ['cursor', 'offset', 'seen_tip', 'at']) kept.delete(replaced);
      const next = nextOf(`/extended/v2/blocks?${query}`) ?? '';
      assert.match(next, /^[!-~]*$/);
      const found = new URL(next, 'http://127.0.0.1').searchParams;
      assert.deepEqual([...found], [...kept, ['offset', '60'], ['at', HASH]]);
    }),
  );
});

test('the last page, and what is no page, have no link', () => {
  assert.equal(nextOf('/extended/v2/blocks', '{"limit":20,"offset":80,"total":100,"results":[]}'), undefined);
  assert.equal(nextOf('/extended/v2/blocks', '{"limit":20,"cursor":{"next":null}}'), undefined);
  assert.equal(nextOf('/extended/v2/blocks', '[]'), undefined);
});

test('holders of a token, whose pages begin with the supply, have a link to the next page', () => {
  const page = PAGE.replace('{', '{"total_supply":"250",');
  assert.equal(
    nextOf('/extended/v1/tokens/ft/stx/holders', page),
    `/extended/v1/tokens/ft/stx/holders?offset=60&at=${HASH}`,
  );
});

test('the link has no host, whatever host the request line names', () => {
  const next = `/extended/v1/tx/?offset=60&at=${HASH}`;
  for (const host of ['', 'http://other.example', 'HTTPS://other.example:80'])
    assert.equal(nextOf(`${host}/extended/v1/tx/`, PAGE), next);
});
