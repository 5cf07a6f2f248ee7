import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import {
  commitment,
  cycles,
  extension,
  increase,
  keyText,
  lock,
  poxPrint,
  signedBy,
  through,
} from '../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import { bytes, filled } from '../../../test/support/wire-transaction.ts';
import { encodeClarityBuffer, encodeClarityTuple, encodeClarityUint } from '../../base/codec/index.ts';

const CYCLE = 7;
const [A, B, C, POOL, OTHER] = [20, 21, 22, 30, 31].map(accountAddress) as [string, string, string, string, string];

const rewardSet = (cycle: number, keys: readonly number[], threshold: string | null = '50') => ({
  cycle_number: cycle,
  reward_set: {
    signers: keys.map(key => ({ signing_key: keyText(key).slice(2), weight: key, stacked_amt: '100' })),
    pox_ustx_threshold: threshold,
  },
});

const path = (key: string, rest = '', cycle = CYCLE) =>
  `/extended/v2/pox/cycles/${cycle}/signers/${key}/stackers${rest}`;

const lockOf = (amount: number) => ({ ...lock, 'lock-amount': encodeClarityUint(amount) });
const payTo = {
  'pox-addr': encodeClarityTuple({
    version: encodeClarityBuffer(Uint8Array.of(0)),
    hashbytes: encodeClarityBuffer(Buffer.from('1e959caa6dd5bede3575cd3847ba81e56180b214', 'hex')),
  }),
};
const ADDRESS = 'miJfo2mKvRhvpxnRyJE17VBr12xn3FrkZW';
const window = cycles(CYCLE, CYCLE + 1);

/** Block 1 with a reward set of keys 2 and 3, and one block for each list of prints above it. */
async function deliver(index: TestIndex, chain: ChainBuilder, ...prints: BuiltTx['events'][]): Promise<BuiltBlock> {
  let top = chain.block({ fields: rewardSet(CYCLE, [2, 3]) });
  await index.deliver(top.delivery);
  for (const events of prints) {
    top = chain.block({ parent: top, txs: [chain.tx(bytes(0x04, filled(32, 1)), { events })] });
    await index.deliver(top.delivery);
  }
  return top;
}

/** Stacker, amount and type of each record; its address where it has one. */
async function stackers(index: TestIndex, url: string): Promise<unknown[][]> {
  const { status, body } = await index.get(url);
  assert.equal(status, 200, url);
  return body.results.map((stacker: Record<string, unknown>) => [
    stacker.stacker_address,
    stacker.stacked_amount,
    stacker.stacker_type,
    ...(stacker.pox_address === '' ? [] : [stacker.pox_address]),
  ]);
}

onSqliteAtLeast((_engine, openFresh) => {
  test('stackers of a signer are its own and those of the pools that committed to it, most STX first, then by name', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(index, new ChainBuilder(), [
      poxPrint('stack-stx', A, { ...lockOf(9), ...payTo, ...signedBy(2), ...window }),
      poxPrint('stack-stx', B, { ...lockOf(7), ...signedBy(2), ...window }),
      poxPrint('stack-stx', C, { ...lockOf(99), ...signedBy(3), ...window }),
      poxPrint('delegate-stack-stx', C, { ...lockOf(7), ...through(POOL), ...window }),
      poxPrint('delegate-stack-stx', B, { ...lockOf(10), ...payTo, ...through(OTHER), ...window }),
      poxPrint('delegate-stack-stx', A, { ...lockOf(1), ...through(`${A}.nobody`), ...window }),
      poxPrint('stack-aggregation-commit', POOL, { ...commitment, ...signedBy(2), ...window }),
      poxPrint('stack-aggregation-commit-indexed', OTHER, { ...commitment, ...signedBy(2), ...window }),
    ]);
    const all = [
      [B, '10', 'pooled', ADDRESS],
      [A, '9', 'solo', ADDRESS],
      [B, '7', 'solo'],
      [C, '7', 'pooled'],
    ];
    assert.deepEqual(await stackers(index, path(keyText(2))), all);
    assert.deepEqual(await stackers(index, path(keyText(2).slice(2).toUpperCase())), all);
    assert.deepEqual(await stackers(index, path(keyText(3))), [[C, '99', 'solo']]);
    for (let offset = 0; offset <= all.length; offset++) {
      const { body } = await index.get(path(keyText(2), `?limit=2&offset=${offset}`));
      assert.deepEqual([body.limit, body.offset, body.total], [2, offset, all.length]);
      assert.deepEqual(
        await stackers(index, path(keyText(2), `?limit=2&offset=${offset}`)),
        all.slice(offset, offset + 2),
      );
    }
    assert.deepEqual(await stackers(index, path(keyText(2), `?offset=${Number.MAX_SAFE_INTEGER}`)), []);
  });

  test('of each stacker the newest event tells the amount; one of an increase alone changes nothing but the signer', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(
      index,
      new ChainBuilder(),
      [
        poxPrint('stack-stx', A, { ...lockOf(9), ...payTo, ...signedBy(2), ...window }),
        poxPrint('delegate-stack-stx', B, { ...lockOf(7), ...payTo, ...through(POOL), ...window }),
        poxPrint('stack-increase', C, { ...increase, ...signedBy(3), ...window }),
        poxPrint('stack-aggregation-commit', POOL, { ...commitment, ...signedBy(2), ...window }),
      ],
      [
        poxPrint('stack-increase', A, { ...increase, ...signedBy(3), ...window }),
        poxPrint('delegate-stack-increase', B, { ...increase, ...payTo, ...through(POOL), ...window }),
      ],
    );
    // In these prints 0 was locked before.
    assert.deepEqual(await stackers(index, path(keyText(2))), [[B, '10', 'pooled', ADDRESS]]);
    assert.deepEqual(await stackers(index, path(keyText(3))), [
      [C, '10', 'solo'],
      [A, '9', 'solo', ADDRESS],
    ]);
  });

  test('amounts beyond 2^128 are told in full', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const most = (1n << 128n) - 1n;
    await deliver(index, new ChainBuilder(), [
      poxPrint('stack-stx', A, { ...lock, 'lock-amount': encodeClarityUint(most), ...signedBy(2), ...window }),
      poxPrint('stack-extend', B, { ...extension, ...signedBy(2), ...window }),
    ]);
    assert.deepEqual(await stackers(index, path(keyText(2))), [
      [A, String(most), 'solo'],
      [B, '0', 'solo'],
    ]);
  });

  test('stackers of an unknown cycle or signer are not found', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await deliver(index, new ChainBuilder());
    const expected: [string, number, string?][] = [
      [path(keyText(2), '', 99), 404, 'PoX cycle not found'],
      [path(keyText(4)), 404, 'PoX cycle signer not found'],
      [path('0x02'), 404, 'PoX cycle signer not found'],
      [path('bogus'), 400],
      [path(keyText(2), '?limit=201'), 400, 'querystring/limit must be at most 200, not 201'],
      [path(keyText(2), '?offset=-1'), 400, 'querystring/offset must be at least 0, not -1'],
    ];
    for (const [url, status, message] of expected) {
      const response = await index.get(url);
      assert.equal(response.status, status, url);
      if (message !== undefined) assert.equal(response.body.message, message, url);
    }
  });

  test('cycles are listed by number, the highest first, each as its newest reward set tells it', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = [rewardSet(8, [2]), rewardSet(7, [2, 3]), rewardSet(9, []), rewardSet(7, [3, 4])];
    let top: BuiltBlock | undefined;
    const built = blocks.map(fields => {
      top = chain.block({ ...(top && { parent: top }), fields });
      return top;
    });
    await index.deliver(...built.map(block => block.delivery));
    const cycle = (number: number, at: number, weight: number, signers: number) => ({
      block_height: at,
      index_block_hash: built[at - 1]?.indexHash,
      cycle_number: number,
      total_weight: weight,
      total_stacked_amount: String(100 * signers),
      total_signers: signers,
    });
    const all = [cycle(9, 3, 0, 0), cycle(8, 1, 2, 1), cycle(7, 4, 7, 2)];
    assert.deepEqual((await index.get('/extended/v2/pox/cycles')).body, {
      limit: 20,
      offset: 0,
      total: 3,
      results: all,
    });
    for (const [query, results] of [
      ['?limit=1&offset=1', all.slice(1, 2)],
      ['?limit=0', []],
      ['?offset=3', []],
    ] as const) {
      const { body } = await index.get(`/extended/v2/pox/cycles${query}`);
      assert.deepEqual([body.total, body.results], [3, results], query);
    }
    assert.deepEqual((await index.get('/extended/v2/pox/cycles/7')).body, all[2]);
    assert.equal((await index.get('/extended/v2/pox/cycles/6')).body.message, 'PoX cycle not found');
    assert.equal((await index.get('/extended/v2/pox/cycles/x')).status, 400);
  });

  test('cycles and stackers of a branch that loses are gone, and back when it wins again', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const base = chain.block();
    const stack = poxPrint('stack-stx', A, { ...lockOf(5), ...signedBy(2), ...window });
    const left = chain.block({
      parent: base,
      txs: [chain.tx(bytes(0x04, filled(32, 1)), { events: [stack] })],
      fields: rewardSet(CYCLE, [2]),
    });
    await index.deliver(base.delivery, left.delivery);
    const urls = [path(keyText(2)), '/extended/v2/pox/cycles', `/extended/v2/pox/cycles/${CYCLE}`];
    const bodies = async () => Promise.all(urls.map(async url => (await index.get(url)).body));
    const before = await bodies();
    assert.deepEqual(await stackers(index, path(keyText(2))), [[A, '5', 'solo']]);
    await index.deliver(...chain.chain(2, base).map(block => block.delivery));
    assert.equal((await index.get(path(keyText(2)))).status, 404);
    assert.equal((await index.get('/extended/v2/pox/cycles')).body.total, 0);
    await index.deliver(...chain.chain(2, left).map(block => block.delivery));
    assert.deepEqual(await bodies(), before);
  });
});
