import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { sampleDeploy, sampleFunction } from '../../../../test/support/sample-contracts.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import type { BuiltTx } from '../../../../test/support/transaction-builder.ts';

const TRANSFER = sampleFunction('transfer', 'uint128', 'principal', 'principal');
const OWNER = sampleFunction('get-owner', 'uint128');
const BALANCE = sampleFunction('get-balance', 'principal');

const query = (functions: readonly unknown[], rest = ''): string =>
  `/extended/v1/contract/by_trait?trait_abi=${encodeURIComponent(JSON.stringify({ functions }))}${rest}`;

/** Names of the contracts that have these functions; undefined for a 404. */
async function names(index: TestIndex, functions: readonly unknown[], rest = ''): Promise<string[] | undefined> {
  const { status, body } = await index.get(query(functions, rest));
  if (status === 404) return assert.equal(body.message, 'cannot find contract for this trait') as undefined;
  assert.equal(status, 200, JSON.stringify(body));
  return (body.results as { contract_id: string }[]).map(record => record.contract_id.replace(/.*\./, ''));
}

onSqliteAtLeast((_engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0], deploys: (chain: ChainBuilder) => BuiltTx[][]) => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    let parent = chain.block();
    await index.deliver(parent.delivery);
    for (const txs of deploys(chain)) {
      parent = chain.block({ parent, txs });
      await index.deliver(parent.delivery);
    }
    return { index, chain, tip: parent };
  };
  const collections = (chain: ChainBuilder) => [
    [sampleDeploy(chain, 'token-1', { functions: [TRANSFER, BALANCE] }), sampleDeploy(chain, 'failed')],
    [sampleDeploy(chain, 'nft-1', { functions: [OWNER, TRANSFER] })],
    [sampleDeploy(chain, 'nft-2', { functions: [{ ...TRANSFER, name: 'send' }, OWNER] })],
    [
      sampleDeploy(chain, 'nft-3', { functions: [OWNER, TRANSFER, BALANCE] }),
      sampleDeploy(chain, 'empty', { functions: [] }),
    ],
  ];

  test('contracts that have all functions of a trait are listed, newest first', async t => {
    const { index } = await open(t, collections);
    assert.deepEqual(await names(index, [TRANSFER]), ['nft-3', 'nft-1', 'token-1']);
    assert.deepEqual(await names(index, [TRANSFER, OWNER]), ['nft-3', 'nft-1']);
    assert.deepEqual(await names(index, [OWNER, TRANSFER, BALANCE]), ['nft-3']);
    assert.equal(await names(index, [OWNER, { ...TRANSFER, args: [] }]), undefined);
    assert.deepEqual(await names(index, [OWNER, { ...TRANSFER, access: 'read_only' }]), ['nft-3', 'nft-1']);
    assert.equal(await names(index, [{ ...TRANSFER, access: 'private' }]), undefined);
    assert.equal(await names(index, [TRANSFER, sampleFunction('no-such-function')]), undefined);
  });

  test('as of a block, contracts that were deployed above it are missing, from the traits without a name too', async t => {
    const { index } = await open(t, collections);
    assert.deepEqual(await names(index, [TRANSFER], '&at=3'), ['nft-1', 'token-1']);
    assert.deepEqual(await names(index, [TRANSFER], '&at=2'), ['token-1']);
    assert.equal(await names(index, [OWNER], '&at=2'), undefined);
    assert.deepEqual(await names(index, [], '&at=4'), ['nft-2', 'nft-1', 'token-1']);
  });

  test('a function that a trait names twice must fit both times', async t => {
    const { index } = await open(t, collections);
    assert.deepEqual(await names(index, [TRANSFER, { name: 'transfer', args: [{}, {}, {}] }]), [
      'nft-3',
      'nft-1',
      'token-1',
    ]);
    assert.equal(await names(index, [TRANSFER, sampleFunction('transfer', 'bool')]), undefined);
  });

  test('a trait without functions fits every contract that has an interface', async t => {
    const { index } = await open(t, collections);
    const all = ['empty', 'nft-3', 'nft-2', 'nft-1', 'token-1'];
    assert.deepEqual(await names(index, []), all);
    for (let offset = 0; offset < all.length; offset++) {
      assert.deepEqual(await names(index, [], `&limit=2&offset=${offset}`), all.slice(offset, offset + 2));
    }
    for (const past of ['5', '6', '9007199254740991']) assert.deepEqual(await names(index, [], `&offset=${past}`), []);
  });

  test('a function without a name fits any, beside functions with a name or alone', async t => {
    const { index } = await open(t, collections);
    const { name: _name, ...nameless } = TRANSFER;
    assert.deepEqual(await names(index, [nameless]), ['nft-3', 'nft-2', 'nft-1', 'token-1']);
    assert.deepEqual(await names(index, [nameless, OWNER]), ['nft-3', 'nft-2', 'nft-1']);
    assert.deepEqual(await names(index, [nameless, BALANCE, { args: [{ type: 'uint128' }] }]), ['nft-3']);
    assert.deepEqual(await names(index, [{ args: [{}, {}, {}] }], '&limit=1&offset=3'), ['token-1']);
    assert.equal(await names(index, [{ args: [{ type: 'bool' }] }]), undefined);
  });

  test('a name that is no text, or that no contract can have, fits nothing', async t => {
    const { index } = await open(t, collections);
    for (const name of [null, 1, {}, [], '', 'TRANSFER', 'x'.repeat(5000), "'; DROP TABLE contracts", '\u{1f600}']) {
      assert.equal(await names(index, [{ name, args: [{}, {}, {}] }]), undefined, String(name));
    }
  });

  test('pages of a trait follow each other without a gap, also past the first thousand of a name', async t => {
    const labels = Array.from({ length: 1100 }, (_, i) => `c${i}`);
    const { index } = await open(t, chain => [
      labels.map((label, i) => sampleDeploy(chain, label, { functions: i % 2 === 0 ? [OWNER] : [OWNER, TRANSFER] })),
    ]);
    const newest = labels.toReversed();
    const odd = newest.filter((_, i) => i % 2 === 0);
    for (const offset of [0, 49, 990, 1050]) {
      assert.deepEqual(await names(index, [OWNER], `&limit=50&offset=${offset}`), newest.slice(offset, offset + 50));
    }
    assert.deepEqual(await names(index, [TRANSFER, OWNER], '&limit=50&offset=510'), odd.slice(510));
    assert.deepEqual(await names(index, [{ ...TRANSFER, name: undefined }], '&limit=3&offset=547'), odd.slice(547));
    assert.deepEqual(await names(index, [OWNER], '&offset=1100'), [], 'past the end');
    assert.equal(await names(index, [TRANSFER, sampleFunction('get-owner', 'bool')]), undefined);
  });

  test('contracts of a fork that loses are not listed, and again when it wins; those of microblocks are', async t => {
    const { index, chain, tip } = await open(t, collections);
    const losing = chain.block({ parent: tip, txs: [sampleDeploy(chain, 'loser', { functions: [OWNER] })] });
    await index.deliver(losing.delivery);
    assert.deepEqual(await names(index, [OWNER], '&limit=1'), ['loser']);
    const rival = chain.block({ parent: tip, txs: [sampleDeploy(chain, 'rival', { functions: [OWNER] })] });
    const above = chain.block({ parent: rival });
    await index.deliver(rival.delivery, above.delivery);
    assert.deepEqual(await names(index, [OWNER], '&limit=2'), ['rival', 'nft-3']);
    const streamed = chain.microblocks(above, [[sampleDeploy(chain, 'streamed', { functions: [OWNER] })]]);
    await index.deliver(chain.stream(above, streamed));
    assert.deepEqual(await names(index, [OWNER], '&limit=2'), ['streamed', 'rival']);
    const second = chain.block({ parent: losing });
    await index.deliver(second.delivery, chain.block({ parent: second }).delivery);
    assert.deepEqual(await names(index, [OWNER], '&limit=2'), ['loser', 'nft-3']);
  });

  test('a trait that would take too long to match is refused', async t => {
    const types = Array.from({ length: 60 }, (_, length) => ({ buffer: { length } }));
    const functions = (contract: number) =>
      Array.from({ length: 40 }, (_, i) => sampleFunction(`f${i}-${contract}`, ...types));
    const { index } = await open(t, chain => [
      Array.from({ length: 20 }, (_, i) => sampleDeploy(chain, `wide-${i}`, { functions: functions(i) })),
    ]);
    // Every function of a contract is compared with every one that has no name.
    const hard = Array.from({ length: 2500 }, (_, i) => ({ args: [{ type: i }] }));
    const { status, body } = await index.get(query(hard));
    assert.deepEqual([status, body.message], [400, 'querystring/trait_abi takes too long to match']);
    assert.equal(await names(index, [{ name: 'f1-1', args: [] }]), undefined);
  });

  test('what is not a trait is refused, and so is every page that cannot be', async t => {
    const { index } = await open(t, collections);
    const get = async (rest: string) => {
      const { status, body } = await index.get(`/extended/v1/contract/by_trait${rest}`);
      return [status, body.message];
    };
    assert.deepEqual(await get(''), [400, `querystring/trait_abi is required`]);
    assert.deepEqual(await get('?trait_abi=[]&trait_abi=[]'), [
      400,
      'querystring/trait_abi must be given once, not ["[]","[]"]',
    ]);
    for (const text of [
      '',
      '{',
      '1',
      '"x"',
      'null',
      '[]',
      '{}',
      '{"functions":1}',
      '{"functions":[{}]}',
      `${'['.repeat(10_000)}`,
    ]) {
      assert.deepEqual(await get(`?trait_abi=${text}`), [400, `Invalid 'trait_abi'`], text.slice(0, 20));
    }
    assert.deepEqual(await get('?trait_abi=%00'), [
      400,
      'querystring/trait_abi must not contain NUL or an unpaired surrogate',
    ]);
    const trait = 'trait_abi={"functions":[]}';
    for (const good of ['limit=0', 'limit=1', 'limit=50', 'offset=0', 'offset=1', 'x=1']) {
      assert.equal((await get(`?${trait}&${good}`))[0], 200, good);
    }
    const limits: [string, string][] = [
      ['limit=-1', 'querystring/limit must be at least 0, not -1'],
      ['limit=51', 'querystring/limit must be at most 50, not 51'],
      ['limit=', 'querystring/limit must be an integer, not ""'],
      ['limit=x', 'querystring/limit must be an integer, not "x"'],
      ['limit=1&limit=1', 'querystring/limit must be an integer, not ["1","1"]'],
      ['offset=-1', 'querystring/offset must be at least 0, not -1'],
      ['offset=1.5', 'querystring/offset must be an integer, not "1.5"'],
      ['offset=9007199254740992', 'querystring/offset must be at most 9007199254740991, not 9007199254740992'],
    ];
    for (const [bad, message] of limits) assert.deepEqual(await get(`?${trait}&${bad}`), [400, message]);
  });
});
