import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { json, serveProxy } from '../../../test/support/node-proxy.ts';
import { respondJson, startStubNode } from '../../../test/support/stub-node.ts';
import type { Tip } from '../../ingest/chain/tip.ts';
import {
  type BlockUsage,
  DEFAULT_BLOCK_LIMITS,
  DEFAULT_FEES,
  type FeeSettings,
  type TenureUsages,
} from '../node-proxy/fee-market.ts';

const ESTIMATE = '/v2/fees/transaction';
/** As a node writes it; a number that JavaScript would write otherwise among it. */
const RESPONSE =
  '{"estimated_cost":{"runtime":1},"cost_scalar_change_by_byte":0.00476837158203125,"estimations":[{"fee_rate":10.0,"fee":2000},{"fee_rate":1.2,"fee":3000},{"fee_rate":8,"fee":9000}]}';

const tip = (hash: string): Tip => ({
  height: 1,
  indexBlockHash: hash,
  blockHash: hash,
  burnBlockHeight: 100,
  microblockHash: null,
  microblockSequence: null,
});

/** All dimensions at this part of their limits. */
const usageAt = (part: number): BlockUsage =>
  Object.fromEntries(Object.entries(DEFAULT_BLOCK_LIMITS).map(([name, limit]) => [name, limit * part])) as never;
const tenure = (part: number, blocks = 10) => ({ blocks, usage: usageAt(part) });

interface Situation {
  readonly tenures?: TenureUsages | Error;
  readonly fees?: Partial<FeeSettings>;
  readonly pox?: unknown;
}

async function open(t: TestContext, { tenures = [], fees = {}, pox }: Situation) {
  const state = { tip: tip('0x01') as Tip | undefined, status: 200, body: RESPONSE, looks: 0 };
  const node = await startStubNode(t, ({ url }, response) => {
    if (url === '/v2/pox') respondJson(response, pox ?? {}, pox === undefined ? 500 : 200);
    else response.writeHead(state.status, { 'content-type': 'application/json', 'x-request-id': 'r' }).end(state.body);
  });
  const proxy = await serveProxy(
    t,
    node.url,
    { fees: { ...DEFAULT_FEES, ...fees } },
    {},
    {
      tip: { current: () => state.tip },
      tenures: async () => {
        state.looks++;
        if (tenures instanceof Error) throw tenures;
        return tenures;
      },
    },
  );
  const estimate = async (length: number | null = 350, payload = '00'.repeat(180)) => {
    const body = JSON.stringify({ transaction_payload: payload, estimated_len: length });
    const response = await proxy.ask(ESTIMATE, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return { ...response, text: response.body.toString() };
  };
  const fees_ = async (...args: Parameters<typeof estimate>) =>
    (json(await estimate(...args)).estimations as { fee: number }[]).map(({ fee }) => fee);
  return { ...proxy, node, state, estimate, fees: fees_ };
}

const BUSY: TenureUsages = Array.from({ length: 6 }, () => tenure(1));

test('while blocks have room, every fee is one micro-STX a byte', async t => {
  const { fees, estimate } = await open(t, { tenures: [tenure(0.1)] });
  assert.deepEqual(await fees(350), [350, 350, 350]);
  assert.deepEqual(await fees(null), [180, 180, 180], 'at least the size of the payload');
  assert.deepEqual(await fees(100, `0x${'00'.repeat(180)}`), [180, 180, 180], '0x is no byte');
  const { text, headers } = await estimate(350);
  assert.equal(text, RESPONSE.replace(/"fee":\d+/g, '"fee":350'), 'all else is as the node wrote it');
  assert.equal(headers['content-length'], String(text.length));
});

test('in a fee market, fees are those of the node by the modifier, and never below the least one', async t => {
  assert.deepEqual(await (await open(t, { tenures: BUSY, fees: { modifier: 0.5 } })).fees(350), [1000, 1500, 4500]);
  assert.deepEqual(await (await open(t, { tenures: BUSY })).fees(2500), [2500, 3000, 9000]);
});

test('there is a fee market when the current tenure does not show room and the past ones were full', async t => {
  const past = (...parts: number[]) => parts.map(part => tenure(part));
  const oneFull = { ...usageAt(0.1), write_count: DEFAULT_BLOCK_LIMITS.write_count * 0.5 };
  const cases: [string, TenureUsages, boolean][] = [
    ['the current tenure has room', [tenure(0.49), ...past(1, 1, 1, 1, 1)], false],
    ['it has few blocks', [tenure(0.1, 4), ...past(1, 1, 1, 1, 1)], true],
    ['it is half full', [tenure(0.5), ...past(1, 1, 1, 1, 1)], true],
    ['one dimension is half full', [{ blocks: 9, usage: oneFull }, ...past(1, 1, 1, 1, 1)], true],
    ['fewer past tenures are known', [tenure(1), ...past(1, 1, 1, 1)], false],
    ['the past ones had room', [tenure(1), ...past(0.8, 0.8, 0.8, 0.8, 0.8)], false],
    // Weights 5, 4, 3, 2, 1: the average is 0.9 in the first case, and 13 / 15 in the second.
    ['newer ones weigh more: just full', [tenure(1), ...past(0.7, 1, 1, 1, 1)], true],
    ['newer ones weigh more: not full', [tenure(1), ...past(0.6, 1, 1, 1, 1)], false],
    ['older ones weigh less', [tenure(1), ...past(1, 1, 1, 1, 0)], true],
    ['further ones do not count', [tenure(1), ...past(0.8, 0.8, 0.8, 0.8, 0.8, 1, 1)], false],
  ];
  for (const [name, tenures, isMarket] of cases)
    assert.deepEqual(
      await (await open(t, { tenures })).fees(350),
      isMarket ? [2000, 3000, 9000] : [350, 350, 350],
      name,
    );
});

test('the limits are those of the current epoch, as the node says', async t => {
  const tiny = { ...DEFAULT_BLOCK_LIMITS, runtime: 10 };
  const pox = {
    current_burnchain_block_height: 100,
    epochs: [
      { start_height: 0, block_limit: tiny },
      { start_height: 100, block_limit: { ...DEFAULT_BLOCK_LIMITS, size: undefined } },
      { start_height: 101, block_limit: tiny },
    ],
  };
  const tenures = [tenure(0.1), ...BUSY];
  assert.deepEqual(await (await open(t, { tenures, pox })).fees(350), [350, 350, 350]);
  const later = { ...pox, current_burnchain_block_height: 101 };
  assert.deepEqual(await (await open(t, { tenures, pox: later })).fees(350), [2000, 3000, 9000]);
});

test('the index is looked at once a tip', async t => {
  const { fees, state } = await open(t, { tenures: [tenure(0.1)] });
  await Promise.all([fees(), fees(), fees()]);
  assert.equal(state.looks, 1);
  state.tip = tip('0x02');
  await fees();
  assert.equal(state.looks, 2);
});

test('what is no estimate, or cannot be corrected, comes as the node gave it', async t => {
  const { estimate, ask, state } = await open(t, { tenures: [tenure(0.1)] });
  state.tip = undefined;
  assert.equal((await estimate()).text, RESPONSE, 'an empty index');
  state.tip = tip('0x01');
  state.status = 400;
  state.body = '{"error":"Estimation could not be performed","reason":"NoEstimateAvailable"}';
  const { status, text } = await estimate();
  assert.deepEqual([status, text], [400, state.body]);
  state.status = 200;
  state.body = '180';
  assert.equal((await ask('/v2/fees/transfer')).body.toString(), '180');
  const broken = await open(t, { tenures: new Error('the database is away') });
  assert.equal((await broken.estimate()).text, RESPONSE);
  assert.equal(broken.told.length, 1);
});
