import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { delegated, poxPrint, revoked } from '../../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { bytes, filled } from '../../../../test/support/wire-transaction.ts';

const [A, B, C, POOL, OTHER] = [20, 21, 22, 30, 31].map(accountAddress) as [string, string, string, string, string];
const path = (query = '', pool = POOL, pox = 'pox4') => `/extended/v1/${pox}/${pool}/delegations${query}`;

const printing = (chain: ChainBuilder, ...events: BuiltTx['events']): BuiltTx =>
  chain.tx(bytes(0x04, filled(32, 1)), { events });

/** Blocks on top of each other from height 1 and burn height 100 on, one for each list of prints. */
function blocksOf(chain: ChainBuilder, prints: readonly BuiltTx['events'][], on?: BuiltBlock): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  let parent = on;
  for (const events of prints) {
    parent = chain.block({ ...(parent && { parent }), txs: [printing(chain, ...events)] });
    blocks.push(parent);
  }
  return blocks;
}

async function deliver(index: TestIndex, ...prints: readonly BuiltTx['events'][]): Promise<BuiltBlock[]> {
  const blocks = blocksOf(new ChainBuilder(), prints);
  await index.deliver(...blocks.map(block => block.delivery));
  return blocks;
}

/** The listed delegators; and the total if it is another number. */
async function members(index: TestIndex, url = path()): Promise<string[]> {
  const { status, body } = await index.get(url);
  assert.equal(status, 200, url);
  assert.equal(body.total, body.results.length, url);
  return body.results.map((member: { stacker: string }) => member.stacker);
}

onSqliteAtLeast((_engine, openFresh) => {
  test('a delegation shows its amount, height and transaction, and its end and Bitcoin address where it has them', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const bound = { amount: 77, until: 500, poxHash: Buffer.from('1e959caa6dd5bede3575cd3847ba81e56180b214', 'hex') };
    const [block] = await deliver(index, [
      poxPrint('delegate-stx', A, delegated(POOL)),
      poxPrint('delegate-stx', B, delegated(POOL, bound)),
    ]);
    const tx_id = block?.txs[0]?.txId;
    assert.deepEqual((await index.get(path())).body, {
      limit: 100,
      offset: 0,
      total: 2,
      results: [
        {
          stacker: B,
          amount_ustx: '77',
          block_height: 1,
          tx_id,
          pox_addr: 'miJfo2mKvRhvpxnRyJE17VBr12xn3FrkZW',
          burn_block_unlock_height: 500,
        },
        { stacker: A, amount_ustx: '4000', block_height: 1, tx_id },
      ],
    });
  });

  test('of each stacker the newest delegation to the pool counts, the newest of all first', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(
      index,
      [
        poxPrint('delegate-stx', A, delegated(POOL, { amount: 1 })),
        poxPrint('delegate-stx', B, delegated(POOL, { amount: 2 })),
      ],
      [poxPrint('delegate-stx', C, delegated(OTHER)), poxPrint('delegate-stx', A, delegated(POOL, { amount: 3 }))],
    );
    const { results } = (await index.get(path())).body;
    assert.deepEqual(
      results.map((member: { amount_ustx: string }) => member.amount_ustx),
      ['3', '2'],
    );
    assert.deepEqual(await members(index, path('', OTHER)), [C]);
  });

  test('a revocation ends the delegation to its own pool only, until the next one', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(
      index,
      [poxPrint('delegate-stx', A, delegated(POOL)), poxPrint('delegate-stx', B, delegated(POOL))],
      [poxPrint('revoke-delegate-stx', A, revoked(POOL)), poxPrint('revoke-delegate-stx', B, revoked(OTHER))],
      [poxPrint('delegate-stx', A, delegated(POOL))],
    );
    assert.deepEqual(await members(index), [A, B]);
    assert.deepEqual(await members(index, path('?height=2')), [B]);
    assert.deepEqual(await members(index, path('?height=1')), [B, A]);
  });

  test('a delegation is over at its own burn height, and no longer hides an older one', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    // Burn heights 100 to 103.
    await deliver(
      index,
      [
        poxPrint('delegate-stx', A, delegated(POOL, { amount: 1 })),
        poxPrint('delegate-stx', B, delegated(POOL, { until: 102 })),
      ],
      [poxPrint('delegate-stx', A, delegated(POOL, { amount: 2, until: 103 }))],
      [],
      [],
    );
    const amountsAt = async (height: number) =>
      (await index.get(path(`?height=${height}`))).body.results.map(
        (member: { amount_ustx: string }) => member.amount_ustx,
      );
    assert.deepEqual(await amountsAt(1), ['4000', '1']);
    assert.deepEqual(await amountsAt(2), ['2', '4000']);
    assert.deepEqual(await amountsAt(3), ['2']);
    assert.deepEqual(await amountsAt(4), ['1']);
    assert.deepEqual((await index.get(path())).body.results[0].amount_ustx, '1');
  });

  test('an end of 0 is in the past, one beyond all heights is shown as the greatest exact integer', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(index, [
      poxPrint('delegate-stx', A, delegated(POOL, { until: 0 })),
      poxPrint('delegate-stx', B, delegated(POOL, { until: (1n << 128n) - 1n })),
    ]);
    assert.deepEqual(await members(index), [B]);
    assert.equal((await index.get(path())).body.results[0].burn_block_unlock_height, Number.MAX_SAFE_INTEGER);
  });

  test('after_block leaves out what was delegated up to that height', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(
      index,
      [poxPrint('delegate-stx', A, delegated(POOL))],
      [poxPrint('delegate-stx', B, delegated(POOL))],
      [poxPrint('delegate-stx', C, delegated(POOL))],
    );
    assert.deepEqual(await members(index, path('?after_block=1')), [C, B]);
    assert.deepEqual(await members(index, path('?after_block=1&height=2')), [B]);
    assert.deepEqual(await members(index, path('?after_block=3')), []);
    assert.deepEqual(await members(index, path(`?after_block=${Number.MAX_SAFE_INTEGER}`)), []);
  });

  test('a page is a slice of the list, and its total that of the list, also past the end', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(
      index,
      [A, B, C].map(stacker => poxPrint('delegate-stx', stacker, delegated(POOL))),
    );
    const pageOf = async (query: string) => {
      const { limit, offset, total, results } = (await index.get(path(query))).body;
      return [limit, offset, total, ...results.map((member: { stacker: string }) => member.stacker)];
    };
    assert.deepEqual(await pageOf('?limit=1&offset=1'), [1, 1, 3, B]);
    assert.deepEqual(await pageOf('?limit=0'), [100, 0, 3, C, B, A]);
    assert.deepEqual(await pageOf('?offset=3'), [100, 3, 3]);
    assert.deepEqual(await pageOf(`?offset=${Number.MAX_SAFE_INTEGER}`), [100, Number.MAX_SAFE_INTEGER, 3]);
  });

  test('every version of the contract has delegations of its own', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(index, [
      poxPrint('delegate-stx', A, delegated(POOL), 'pox-2'),
      poxPrint('delegate-stx', B, delegated(POOL), 'pox-3'),
      poxPrint('delegate-stx', C, delegated(POOL), 'pox-4'),
      poxPrint('delegate-stx', C, delegated(POOL), 'pox-5'),
    ]);
    assert.deepEqual(await members(index, path('', POOL, 'pox2')), [A]);
    assert.deepEqual(await members(index, path('', POOL, 'pox3')), [B]);
    assert.deepEqual(await members(index, path('', POOL, 'pox4')), [C]);
  });

  test('a pool may be a contract, and its address may be spelled in any letter case', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const contract = `${POOL}.pool`;
    await deliver(index, [
      poxPrint('delegate-stx', A, delegated(contract)),
      poxPrint('delegate-stx', B, delegated(POOL)),
    ]);
    assert.deepEqual(await members(index, path('', contract)), [A]);
    assert.deepEqual(await members(index, path('', `${POOL.toLowerCase()}.pool`)), [A]);
    assert.deepEqual(await members(index, path('', POOL.toLowerCase())), [B]);
    assert.deepEqual(await members(index, path('', `${POOL}.other`)), []);
    assert.equal((await index.get(path('', `${contract}.foo`))).status, 400, 'nothing is cut off after a second dot');
  });

  test('delegations in microblocks on the tip are shown where they are asked for, and from the block that accepts them', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const block = chain.block({ txs: [printing(chain, poxPrint('delegate-stx', A, delegated(POOL)))] });
    const [microblock] = chain.microblocks(block, [[printing(chain, poxPrint('delegate-stx', B, delegated(POOL)))]]);
    assert.ok(microblock);
    await index.deliver(block.delivery, chain.stream(block, [microblock]));
    assert.deepEqual(await members(index), [A]);
    assert.deepEqual(await members(index, path('?unanchored=true')), [B, A]);
    assert.deepEqual(await members(index, path('?unanchored=true&height=1')), [A]);
    assert.equal((await index.get(path('?unanchored=true'))).body.results[0].block_height, 2);
    await index.deliver(chain.block({ parent: block, microblocks: [microblock], txs: [] }).delivery);
    assert.deepEqual(await members(index), [B, A]);
  });

  test('delegations of a branch that loses are gone, and back when it wins again', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const base = chain.block({ txs: [printing(chain, poxPrint('delegate-stx', A, delegated(POOL)))] });
    const left = blocksOf(
      chain,
      [[poxPrint('revoke-delegate-stx', A, revoked(POOL)), poxPrint('delegate-stx', B, delegated(POOL))]],
      base,
    );
    await index.deliver(base.delivery, ...left.map(block => block.delivery));
    assert.deepEqual(await members(index), [B]);
    const right = blocksOf(chain, [[], [poxPrint('delegate-stx', C, delegated(POOL))]], base);
    await index.deliver(...right.map(block => block.delivery));
    assert.deepEqual(await members(index), [C, A]);
    await index.deliver(...blocksOf(chain, [[], []], left[0]).map(block => block.delivery));
    assert.deepEqual(await members(index), [B]);
  });

  test('a height without a block is not found', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const messageOf = async (query: string) => {
      const { status, body } = await index.get(path(query));
      return [status, body.message];
    };
    assert.deepEqual(await messageOf(''), [404, 'no block at height: 0']);
    assert.deepEqual(await messageOf('?unanchored=true'), [404, 'no block at height: 0']);
    await deliver(index, []);
    assert.deepEqual(await messageOf('?height=1'), [200, undefined]);
    assert.deepEqual(await messageOf('?height=2'), [404, 'no block at height: 2']);
    const most = Number.MAX_SAFE_INTEGER;
    assert.deepEqual(await messageOf(`?height=${most}`), [404, `no block at height: ${most}`]);
  });

  test('every wrong parameter of delegations is a client error or a success, never a server error', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(index, []);
    const noPox = (given: string) => `params/pox must be one of pox2, pox3, pox4, not "${given}"`;
    const expected: [string, number, string?][] = [
      ...['pox', 'poxx', 'POX4', 'pox-4', 'pox44', 'xpox4', 'pox%34x'].map((pox): [string, number] => [
        path('', POOL, pox),
        404,
      ]),
      ...['pox0', 'pox1', 'pox5', 'pox9'].map((pox): [string, number, string] => [
        path('', POOL, pox),
        400,
        noPox(pox),
      ]),
      [path('', 'bogus'), 400, 'params/pool_principal must be an address or the id of a contract, not "bogus"'],
      [
        path('?height=9', 'bogus'),
        400,
        'params/pool_principal must be an address or the id of a contract, not "bogus"',
      ],
      [path('', "';--"), 400, `params/pool_principal must be an address or the id of a contract, not "';--"`],
      [path('', '%00'), 400],
      [path('', `${POOL}.${'a'.repeat(128)}`), 200],
      [path('', `${POOL}.${'a'.repeat(129)}`), 400],
      [path('', 'x'.repeat(1025)), 414],
      [path('?limit=200'), 200],
      [path('?limit=201'), 400, 'querystring/limit must be at most 200, not 201'],
      [path('?limit=-1'), 400, 'querystring/limit must be at least 0, not -1'],
      [path('?limit='), 400, 'querystring/limit must be an integer, not ""'],
      [path('?offset=-1'), 400, 'querystring/offset must be at least 0, not -1'],
      [path('?offset=9007199254740992'), 400],
      [path('?after_block=0'), 400, 'querystring/after_block must be at least 1, not 0'],
      [path('?after_block=x'), 400, 'querystring/after_block must be an integer, not "x"'],
      [path('?after_block=1&after_block=2'), 400, 'querystring/after_block must be an integer, not ["1","2"]'],
      [path('?height=0'), 400, 'querystring/height must be at least 1, not 0'],
      [path('?height=-1'), 400, 'querystring/height must be at least 1, not -1'],
      [path('?height='), 400, 'querystring/height must be an integer, not ""'],
      [path('?height=1e99'), 400],
      [path('?unanchored=1'), 400, 'querystring/unanchored must be true or false, not "1"'],
      [path('?unanchored='), 400, 'querystring/unanchored must be true or false, not ""'],
      [path('?unanchored=false'), 200],
    ];
    for (const [url, status, message] of expected) {
      const response = await index.get(url);
      assert.equal(response.status, status, `${url}: ${JSON.stringify(response.body)}`);
      if (message !== undefined) assert.equal(response.body.message, message, url);
    }
  });
});
