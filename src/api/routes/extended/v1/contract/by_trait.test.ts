import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../../../test/support/reused-database.ts';
import { sampleDeploy, sampleFunction } from '../../../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../../../test/support/test-index.ts';
import { createServer } from '../../../../http/server.ts';
import { addTraitRoutesV1 } from './by_trait.ts';

const PATH = '/extended/v1/contract/by_trait';
const NAME = sampleFunction('get-name');

/** The text of a trait of so many characters. */
const traitOf = (characters: number): string => {
  const text = JSON.stringify({ functions: [NAME], comment: '' });
  return text.replace('"comment":""', `"comment":"${'x'.repeat(characters - text.length)}"`);
};

onEveryEngine((engine, openFresh) => {
  test(`a trait in the body finds what it finds in the URL, page by page, and one that is longer than a URL (${engine})`, async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const deployed = ['a', 'b', 'c'].map(name => sampleDeploy(chain, name, { functions: [NAME] }));
    await index.deliver(chain.block({ txs: deployed }).delivery);
    const post = (body: string, query = '') => index.ask({ method: 'post', url: PATH + query, body });
    for (const query of ['', '&limit=2', '&limit=1&offset=2', '&offset=3', '&limit=0']) {
      const trait = traitOf(200);
      const { status, body, headers } = await post(trait, query.replace('&', '?'));
      assert.equal(status, 200);
      assert.equal(headers['cache-control'], 'no-store', 'a POST has no version');
      assert.deepEqual(body, (await index.get(`${PATH}?trait_abi=${encodeURIComponent(trait)}${query}`)).body);
    }
    assert.equal((await post(traitOf(64 * 1024))).body.results.length, 3);
    const none = await post(JSON.stringify({ functions: [sampleFunction('other')] }));
    assert.deepEqual([none.status, none.body.message], [404, 'cannot find contract for this trait']);
  });
});

test('a body that is no trait, too long, too deep or of another type is refused', async () => {
  const api = createServer({ version: '0', tip: { current: () => undefined } });
  addTraitRoutesV1(api, { longReads: { read: () => assert.fail('it is searched') } } as unknown as Parameters<
    typeof addTraitRoutesV1
  >[1]);
  const refusal = async (payload: string, type = 'application/json', query = '') => {
    const { statusCode, body } = await api.inject({
      method: 'POST',
      url: PATH + query,
      payload,
      headers: { 'content-type': type },
    });
    return [statusCode, JSON.parse(body).message];
  };
  const deep = `{"functions":[{"args":[],"outputs":${'['.repeat(300)}${']'.repeat(300)}}]}`;
  for (const body of ['', '{', traitOf(64 * 1024 + 1), deep, '{"functions":[{}]}', '{"functions":[{"args":[1]}]}']) {
    const [status, message] = await refusal(body);
    assert.equal(status, 400, body.slice(0, 50));
    assert.match(message, /^body must be the interface of a trait/);
  }
  assert.deepEqual(await refusal('[]'), [400, 'body must be an object, not []']);
  assert.deepEqual(await refusal('{}'), [400, 'body/functions is required']);
  assert.deepEqual((await refusal(traitOf(200), 'application/json', '?limit=51'))[0], 400);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
    assert.equal((await refusal(traitOf(200), type))[0], 415);
  assert.equal((await refusal('x'.repeat(256 * 1024 + 1)))[0], 413);
});
