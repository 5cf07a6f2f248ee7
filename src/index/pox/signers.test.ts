import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder, repeated } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import {
  commitment,
  cycles,
  extension,
  increase,
  keyText,
  lock,
  poxPrint,
  rawPrint,
  signedBy,
  through,
} from '../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import { bytes, filled } from '../../../test/support/wire-transaction.ts';

const CYCLE = 7;
const [A, B, C, POOL] = [accountAddress(20), accountAddress(21), accountAddress(22), `${accountAddress(30)}.pool`];

interface SignerParts {
  readonly key: number;
  readonly weight?: number;
  readonly stacked?: string;
}

const rewardSet = (cycle: number, signers: readonly SignerParts[], threshold: string | null = '50') => ({
  cycle_number: cycle,
  reward_set: {
    signers: signers.map(({ key, weight = 1, stacked = '100' }) => ({
      signing_key: keyText(key).slice(2),
      weight,
      stacked_amt: stacked,
    })),
    pox_ustx_threshold: threshold,
  },
});

const printing = (chain: ChainBuilder, ...events: BuiltTx['events']): BuiltTx =>
  chain.tx(bytes(0x04, filled(32, 1)), { events });
const path = (cycle: number | string, rest = '') => `/extended/v2/pox/cycles/${cycle}/signers${rest}`;

interface Counts {
  readonly signing_key: string;
  readonly solo_stacker_count: number;
  readonly pooled_stacker_count: number;
}

/** [solo, pooled] by key byte of the signers of a cycle. */
async function counts(index: TestIndex, cycle = CYCLE): Promise<Record<string, [number, number]>> {
  const { results } = (await index.get(path(cycle))).body as { results: Counts[] };
  return Object.fromEntries(
    results.map(signer => [signer.signing_key.slice(2, 4), [signer.solo_stacker_count, signer.pooled_stacker_count]]),
  );
}

/** An index of block 1 with a reward set of keys 2 and 3, and one block for each list of prints above it. */
async function indexOf(
  index: TestIndex,
  chain: ChainBuilder,
  ...prints: readonly BuiltTx['events'][]
): Promise<BuiltBlock> {
  let top = chain.block({ fields: rewardSet(CYCLE, [{ key: 2 }, { key: 3 }]) });
  await index.deliver(top.delivery);
  for (const events of prints) {
    top = chain.block({ parent: top, txs: [printing(chain, ...events)] });
    await index.deliver(top.delivery);
  }
  return top;
}

onSqliteAtLeast((_engine, openFresh) => {
  test('stackers of pox-4 do not count in a cycle of PoX 5, whose reward set has no threshold', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const stacking = poxPrint('stack-stx', accountAddress(4), { ...lock, ...cycles(CYCLE, CYCLE + 2), ...signedBy(2) });
    const top = await indexOf(index, chain, [stacking]);
    const next = chain.block({ parent: top, fields: rewardSet(CYCLE + 1, [{ key: 2 }], null) });
    await index.deliver(next.delivery);
    assert.deepEqual((await counts(index))['02'], [1, 0]);
    assert.deepEqual((await counts(index, CYCLE + 1))['02'], [0, 0]);
  });

  test('signers are listed by weight, then amount, then key, with their shares and addresses', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const signers = [
      { key: 3, weight: 1, stacked: '5' },
      { key: 2, weight: 1, stacked: '5' },
      { key: 4, weight: 1, stacked: '10' },
      { key: 5, weight: 3, stacked: '10' },
    ];
    await index.deliver(new ChainBuilder().block({ fields: rewardSet(CYCLE, signers) }).delivery);
    const { body } = await index.get(path(CYCLE));
    assert.deepEqual(
      body.results.map((signer: { signing_key: string }) => signer.signing_key),
      [5, 4, 2, 3].map(keyText),
    );
    assert.deepEqual({ ...body, results: body.results.length }, { limit: 100, offset: 0, total: 4, results: 4 });
    assert.deepEqual(body.results[0], {
      signing_key: keyText(5),
      signer_address: body.results[0].signer_address,
      weight: 3,
      stacked_amount: '10',
      weight_percent: 50,
      stacked_amount_percent: 33.333333333333336,
      solo_stacker_count: 0,
      pooled_stacker_count: 0,
    });
    assert.match(body.results[0].signer_address, /^ST/);
  });

  test('a page of signers is a slice of the list, and its total is that of the list, also past the end', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(
      new ChainBuilder().block({ fields: rewardSet(CYCLE, [{ key: 2 }, { key: 3 }, { key: 4 }]) }).delivery,
    );
    const keysOf = async (query: string) => {
      const { body } = await index.get(path(CYCLE, query));
      return [
        body.limit,
        body.offset,
        body.total,
        ...body.results.map((signer: Counts) => signer.signing_key.slice(2, 4)),
      ];
    };
    assert.deepEqual(await keysOf('?limit=1&offset=1'), [1, 1, 3, '03']);
    assert.deepEqual(await keysOf('?limit=0'), [100, 0, 3, '02', '03', '04']);
    assert.deepEqual(await keysOf('?offset=3'), [100, 3, 3]);
    assert.deepEqual(await keysOf(`?offset=${Number.MAX_SAFE_INTEGER}`), [100, Number.MAX_SAFE_INTEGER, 3]);
  });

  test('a cycle that was announced without signers is empty, one that never was is not found', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const fields = { cycle_number: 9, reward_set: { signers: null, pox_ustx_threshold: null } };
    await index.deliver(new ChainBuilder().block({ fields }).delivery);
    assert.deepEqual((await index.get(path(9))).body, { limit: 100, offset: 0, total: 0, results: [] });
    assert.deepEqual((await index.get(path(10))).body, {
      statusCode: 404,
      error: 'Not Found',
      message: 'PoX cycle not found',
    });
    assert.equal((await index.get(path(10, `/${keyText(2)}`))).body.message, 'PoX cycle not found');
    assert.equal((await index.get(path(9, `/${keyText(2)}`))).body.message, 'PoX cycle signer not found');
  });

  test('of two reward sets of a cycle in one chain the later one counts', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const first = chain.block({ fields: rewardSet(CYCLE, [{ key: 2 }, { key: 3 }]) });
    const second = chain.block({ parent: first, fields: rewardSet(CYCLE, [{ key: 3, weight: 4 }]) });
    await index.deliver(first.delivery, second.delivery);
    assert.deepEqual(Object.keys(await counts(index)), ['03']);
    assert.equal((await index.get(path(CYCLE, `/${keyText(3)}`))).body.weight, 4);
    assert.equal((await index.get(path(CYCLE, `/${keyText(2)}`))).status, 404);
  });

  test('a signer is found by its key with or without 0x, in any letter case', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(new ChainBuilder().block({ fields: rewardSet(CYCLE, [{ key: 0xab }]) }).delivery);
    const key = keyText(0xab);
    const upper = key.slice(2).toUpperCase();
    const { body } = await index.get(path(CYCLE));
    for (const spelling of [key, key.slice(2), upper, `0x${upper}`, `0X${upper}`]) {
      assert.deepEqual((await index.get(path(CYCLE, `/${spelling}`))).body, body.results[0], spelling);
    }
  });

  test('a solo stacker counts for the key of the newest event that covers the cycle, increases included', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await indexOf(
      index,
      new ChainBuilder(),
      [
        poxPrint('stack-stx', A, { ...lock, ...signedBy(2), ...cycles(6, 9) }),
        poxPrint('stack-stx', B, { ...lock, ...signedBy(2), ...cycles(CYCLE, 8) }),
        poxPrint('stack-stx', C, { ...lock, ...signedBy(2), ...cycles(6, CYCLE) }), // ends before the cycle
      ],
      [
        poxPrint('stack-extend', A, { ...extension, ...signedBy(3), ...cycles(8, 10) }), // begins after it
        poxPrint('stack-increase', B, { ...increase, ...signedBy(3), ...cycles(CYCLE, 8) }),
      ],
    );
    assert.deepEqual(await counts(index), { '02': [1, 0], '03': [1, 0] });
  });

  test('a pooled stacker counts for the signer to which its operator committed in this cycle', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await indexOf(
      index,
      new ChainBuilder(),
      [
        poxPrint('delegate-stack-stx', A, { ...lock, ...through(POOL), ...cycles(6, 9) }),
        poxPrint('delegate-stack-extend', B, { ...extension, ...through(POOL), ...cycles(CYCLE, 8) }),
        poxPrint('delegate-stack-stx', C, { ...lock, ...through(A), ...cycles(CYCLE, 8) }), // whose operator never commits
        poxPrint('stack-aggregation-commit', POOL, { ...commitment, ...signedBy(2), ...cycles(CYCLE, 8) }),
      ],
      [
        poxPrint('stack-aggregation-commit-indexed', POOL, { ...commitment, ...signedBy(3), ...cycles(CYCLE, 8) }),
        poxPrint('stack-aggregation-commit', POOL, { ...commitment, ...signedBy(2), ...cycles(8, 9) }),
        poxPrint('stack-aggregation-commit', POOL, { ...commitment, ...signedBy(2), ...cycles(6, 8) }), // not one cycle
      ],
      [poxPrint('delegate-stack-increase', B, { ...increase, ...through(A), ...cycles(CYCLE, 8) })],
    );
    assert.deepEqual(await counts(index), { '02': [0, 0], '03': [0, 1] });
    const { body } = await index.get(path(CYCLE, `/${keyText(3)}`));
    assert.deepEqual([body.solo_stacker_count, body.pooled_stacker_count], [0, 1]);
  });

  test('who stacks alone and in a pool counts in both', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await indexOf(index, new ChainBuilder(), [
      poxPrint('stack-stx', A, { ...lock, ...signedBy(2), ...cycles(CYCLE, 8) }),
      poxPrint('delegate-stack-stx', A, { ...lock, ...through(POOL), ...cycles(CYCLE, 8) }),
      poxPrint('stack-aggregation-commit', POOL, { ...commitment, ...signedBy(2), ...cycles(CYCLE, 8) }),
    ]);
    assert.deepEqual(await counts(index), { '02': [1, 1], '03': [0, 0] });
  });

  test('only events of pox-4 are counted, and none whose cycles are open, reversed or out of reason', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await indexOf(index, new ChainBuilder(), [
      poxPrint('stack-stx', A, { ...lock, ...signedBy(2), ...cycles(CYCLE, 8) }, 'pox-3'),
      poxPrint('stack-stx', A, { ...lock, ...signedBy(2) }),
      poxPrint('stack-stx', A, { ...lock, ...signedBy(2), ...cycles(9, 6) }),
      poxPrint('stack-stx', A, { ...lock, ...signedBy(2), ...cycles(0, 2 ** 50) }),
      poxPrint('stack-stx', A, { ...lock, ...cycles(CYCLE, 8) }),
    ]);
    assert.deepEqual(await counts(index), { '02': [0, 0], '03': [0, 0] });
  });

  test('prints that do not decode, errors and those of pox-5 are kept as they are and stop nothing', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const values = [
      Uint8Array.of(0x08, 0x03),
      Uint8Array.of(0x03),
      Uint8Array.of(0xff),
      new Uint8Array(),
      filled(500, 0x0b),
    ];
    const top = await indexOf(
      index,
      new ChainBuilder(),
      values.map(value => rawPrint(value)),
      [
        rawPrint(Uint8Array.of(0x03), 'pox-5'),
        rawPrint(Uint8Array.of(0x03), 'pox'), // version 1 prints nothing
      ],
    );
    assert.equal((await index.state()).tip?.height, top.height);
    const rows = (await index.dump()).pox_events ?? [];
    assert.deepEqual(
      rows.map(({ contract, event, raw }) => [contract, event, Buffer.from(raw as Uint8Array)]),
      [...values.map(value => ['pox-4', null, Buffer.from(value)]), ['pox-5', null, Buffer.of(0x03)]],
    );
  });

  test('reward sets and counts of a branch that loses are gone, and back when it wins again', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const base = chain.block();
    const stack = (key: number) =>
      printing(chain, poxPrint('stack-stx', A, { ...lock, ...signedBy(key), ...cycles(CYCLE, 8) }));
    const left = chain.block({ parent: base, txs: [stack(2)], fields: rewardSet(CYCLE, [{ key: 2 }]) });
    await index.deliver(base.delivery, left.delivery);
    const before = [await index.get(path(CYCLE)), await index.get(path(CYCLE, `/${keyText(2)}`))];
    assert.deepEqual(await counts(index), { '02': [1, 0] });
    const right = chain.chain(2, base);
    await index.deliver(...right.map(block => block.delivery));
    assert.equal((await index.get(path(CYCLE))).status, 404);
    const leftAgain = chain.chain(2, left);
    await index.deliver(...leftAgain.map(block => block.delivery));
    const after = [await index.get(path(CYCLE)), await index.get(path(CYCLE, `/${keyText(2)}`))];
    assert.deepEqual(
      after.map(response => response.body),
      before.map(response => response.body),
    );
  });

  test('a block that is delivered again changes no count', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const stack = poxPrint('stack-stx', A, { ...lock, ...signedBy(2), ...cycles(CYCLE, 8) });
    const top = await indexOf(index, new ChainBuilder(), [stack]);
    await index.deliver(repeated(top.delivery));
    assert.deepEqual(await counts(index), { '02': [1, 0], '03': [0, 0] });
  });

  test('every wrong parameter of the signers is a client error or a success, never a server error', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await indexOf(index, new ChainBuilder());
    const expected: [string, number, string?][] = [
      [path(-1), 404, 'PoX cycle not found'],
      [path('07'), 400, 'params/cycle_number must be an integer, not "07"'],
      [path('abc'), 400, 'params/cycle_number must be an integer, not "abc"'],
      [path('1.5'), 400, 'params/cycle_number must be an integer, not "1.5"'],
      [path(''), 400, 'params/cycle_number must be an integer, not ""'],
      [path(2 ** 31), 404, 'PoX cycle not found'],
      [path(Number.MAX_SAFE_INTEGER), 404, 'PoX cycle not found'],
      [path('9007199254740992'), 400],
      [path('1e999'), 400, 'params/cycle_number must be an integer, not "1e999"'],
      [path('%00'), 400],
      [path(CYCLE, '?limit=250'), 200],
      [path(CYCLE, '?limit=251'), 400, 'querystring/limit must be at most 250, not 251'],
      [path(CYCLE, '?limit=-1'), 400, 'querystring/limit must be at least 0, not -1'],
      [path(CYCLE, '?limit='), 400, 'querystring/limit must be an integer, not ""'],
      [path(CYCLE, '?limit=1&limit=2'), 400, 'querystring/limit must be an integer, not ["1","2"]'],
      [path(CYCLE, '?offset=-1'), 400, 'querystring/offset must be at least 0, not -1'],
      [path(CYCLE, '?offset=x'), 400, 'querystring/offset must be an integer, not "x"'],
      [path(CYCLE, '?unknown=1'), 200],
      [path(CYCLE, '/bogus'), 400],
      [path(CYCLE, '/0x123'), 400],
      [path(CYCLE, '/0x'), 404, 'PoX cycle signer not found'],
      [path(CYCLE, '/0x02'), 404, 'PoX cycle signer not found'],
      [path(CYCLE, `/${'02'.repeat(100)}`), 404, 'PoX cycle signer not found'],
      [path(CYCLE, '/%00'), 400],
      [path(CYCLE, "/';%20DROP%20TABLE%20pox_signers"), 400],
    ];
    for (const [url, status, message] of expected) {
      const response = await index.get(url);
      assert.equal(response.status, status, url);
      if (message !== undefined) assert.equal(response.body.message, message, url);
    }
  });

  test('responses about signers carry the ETag of the tip', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const top = await indexOf(index, new ChainBuilder());
    for (const url of [path(CYCLE), path(CYCLE, `/${keyText(2)}`)]) {
      assert.equal((await index.get(url)).headers.etag, `"${top.indexHash}"`, url);
    }
  });
});
