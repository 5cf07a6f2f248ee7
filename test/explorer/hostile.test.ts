/** What a chain, a contract, a document or a visitor wrote is text on every page. test/explorer/browser.test.ts looks at it in a browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileChain, openHostileChain } from './hostile-chain.ts';

let chain: HostileChain;
before(async () => {
  chain = await openHostileChain();
});
after(() => chain.close());

test('no text of others becomes HTML, an attribute or an address, wherever it is shown', async () => {
  for (const [place, path] of chain.pages) {
    const { status, body } = await chain.index.page(path);
    assert.ok(status < 500, `${place}: ${status} ${path}`);
    assert.doesNotMatch(body, /<script>|<img src=x|<svg onload|<iframe|<taken|<b onclick/, place);
    // Inside a tag, only the attributes that templates write.
    for (const [tag] of body.matchAll(/<[a-z][^>]*>/g)) {
      assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, '""'), /\son\w+\s*=|'/, `${place}: ${tag}`);
      assert.doesNotMatch(tag, /(?:href|src|action)="\s*javascript:/, place);
    }
    assert.doesNotMatch(body, /[\u202e\u200b]/, place);
  }
});

test('the payloads are there to be seen: the places are those where they show', async () => {
  const blind: string[] = [];
  for (const [place, path] of chain.pages) {
    const { body } = await chain.index.page(path);
    if (!/taken=1|taken%3D1|‹U\+202E›/.test(body)) blind.push(place);
  }
  assert.deepEqual(blind, []);
});
