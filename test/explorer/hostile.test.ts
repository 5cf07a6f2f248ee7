/** What a chain, a contract, a document or a visitor wrote is text on every page. test/explorer/browser.test.ts looks at it in a browser. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { scale } from '../support/scale.ts';
import { type HostileChain, openHostileChain, PAYLOAD_GROUPS } from './hostile-chain.ts';

/** A short run tries two of them. */
const GROUPS = scale === 'all' ? PAYLOAD_GROUPS : PAYLOAD_GROUPS.slice(0, 2);

for (const [number, payloads] of GROUPS.entries())
  describe(`payloads of group ${number + 1}`, () => {
    let chain: HostileChain;
    before(async () => {
      chain = await openHostileChain(payloads);
    });
    after(() => chain.close());

    test('no text of others becomes HTML, an attribute or an address, wherever it is shown', async () => {
      for (const [place, path] of chain.pages) {
        const { status, body } = await chain.index.page(path);
        assert.ok(status < 500, `${place}: ${status} ${path}`);
        assert.doesNotMatch(
          body,
          /<script>|<img src=x|<svg onload|<iframe|<taken|<b onclick|<object|<style|<math|<video/,
          place,
        );
        // Inside a tag, only the attributes that templates write.
        for (const [tag] of body.matchAll(/<[a-z][^>]*>/g)) {
          assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, '""'), /\s(on\w+|style|formaction)\s*=|'/, `${place}: ${tag}`);
          assert.doesNotMatch(tag, /(?:href|src|action)="\s*(?:javascript|data|vbscript|\/\/)/, place);
        }
        assert.doesNotMatch(body, /<!--|[\u202e\u200b\u2066\u2069\u00ad\ufeff]/, place);
      }
    });

    test('the payloads are there to be seen: the places are those where they show', async () => {
      const blind: string[] = [];
      for (const [place, path] of chain.pages) {
        const { body } = await chain.index.page(path);
        if (!/taken=1|taken%3D1|‹U\+/.test(body)) blind.push(place);
      }
      assert.deepEqual(blind, []);
    });
  });
