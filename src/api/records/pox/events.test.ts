import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import {
  commitment,
  cycles,
  delegated,
  extension,
  increase,
  keyText,
  lock,
  poxPrint,
  rawPrint,
  revoked,
  signedBy,
  through,
} from '../../../../test/support/pox-prints.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { bytes, filled } from '../../../../test/support/wire-transaction.ts';
import { encodeClarityUint } from '../../../base/codec/index.ts';

const [A, B, POOL] = [20, 21, 30].map(accountAddress) as [string, string, string];
const events = '/extended/v1/pox4/events';
const stackerPath = (stacker: string, query = '') => `/extended/v1/pox4/stacker/${stacker}${query}`;
const txPath = (txId: string, pox = 'pox4') => `/extended/v1/${pox}/tx/${txId}`;
const printing = (chain: ChainBuilder, ...prints: BuiltTx['events']): BuiltTx =>
  chain.tx(bytes(0x04, filled(32, 1)), { events: prints });

/** The members of an operation as they are served. */
const window = { start_cycle_id: '7', end_cycle_id: '8' };
const locked = { lock_amount: '4000', lock_period: '1', start_burn_height: '90', unlock_burn_height: '100' };
const operations = [
  ['stack-stx', { ...lock, ...signedBy(2) }, { ...locked, signer_key: keyText(2) }],
  [
    'stack-increase',
    { ...increase, ...signedBy(2) },
    { increase_by: '10', total_locked: '4010', signer_key: keyText(2) },
  ],
  ['stack-extend', { ...extension }, { extend_count: '1', unlock_burn_height: '120', signer_key: null }],
  [
    'delegate-stx',
    delegated(POOL, { until: 500 }),
    { amount_ustx: '4000', delegate_to: POOL, unlock_burn_height: '500' },
  ],
  ['delegate-stx', delegated(POOL), { amount_ustx: '4000', delegate_to: POOL }],
  ['revoke-delegate-stx', revoked(POOL), { delegate_to: POOL }],
  ['delegate-stack-stx', { ...lock, ...through(POOL) }, { ...locked, delegator: POOL }],
  [
    'delegate-stack-increase',
    { ...increase, ...through(POOL) },
    { increase_by: '10', total_locked: '4010', delegator: POOL },
  ],
  [
    'delegate-stack-extend',
    { ...extension, ...through(POOL) },
    { extend_count: '1', unlock_burn_height: '120', delegator: POOL },
  ],
  [
    'stack-aggregation-commit',
    { ...commitment, ...signedBy(3) },
    { reward_cycle: '1', amount_ustx: '4000', signer_key: keyText(3) },
  ],
  [
    'stack-aggregation-commit-indexed',
    { ...commitment, ...signedBy(3) },
    { reward_cycle: '1', amount_ustx: '4000', signer_key: keyText(3) },
  ],
  ['stack-aggregation-increase', commitment, { reward_cycle: '1', amount_ustx: '4000' }],
] as const;

onSqliteAtLeast((_engine, openFresh) => {
  test('every operation is listed with its members, newest first, as page, by transaction and by stacker', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const prints = operations.map(([name, data]) => poxPrint(name, A, { ...data, ...cycles(7, 8) }));
    const unlock = { 'first-cycle-locked': encodeClarityUint(3), 'first-unlocked-cycle': encodeClarityUint(4) };
    const call = printing(chain, ...prints, poxPrint('handle-unlock', A, unlock));
    const block = chain.block({ txs: [chain.transfer({ from: 2, to: 3 }), call] });
    await index.deliver(block.delivery);
    const { limit, offset, results } = (await index.get(events)).body;
    assert.deepEqual([limit, offset], [96, 0]);
    const told = [...results].reverse();
    assert.deepEqual(
      told.map(({ name, data }) => [name, data]),
      [
        ...operations.map(([name, , members]) => [name, { ...members, ...window }]),
        ['handle-unlock', { first_cycle_locked: '3', first_unlocked_cycle: '4' }],
      ],
    );
    const { data: _, ...first } = told[0];
    assert.deepEqual(first, {
      block_height: 1,
      tx_id: call.txId,
      tx_index: 1,
      event_index: 0,
      stacker: A,
      locked: '4000',
      balance: '5000',
      burnchain_unlock_height: '100',
      pox_addr: null,
      pox_addr_raw: null,
      name: 'stack-stx',
    });
    assert.equal(told[4].pox_addr_raw, '0x');
    assert.deepEqual((await index.get(txPath(call.txId))).body, { results });
    assert.deepEqual((await index.get(stackerPath(A))).body, { results });
    assert.deepEqual((await index.get(txPath(call.txId, 'pox3'))).body, { results: [] });
    assert.deepEqual((await index.get(stackerPath(B))).body, { results: [] });
  });

  test('prints that tell nothing, and those of other versions, are not listed', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const call = printing(
      chain,
      rawPrint(Uint8Array.of(0x08, 0x03)),
      poxPrint('stack-stx', A, { ...lock, ...cycles(7, 8) }, 'pox-3'),
      rawPrint(Uint8Array.of(0x03), 'pox-5'),
    );
    await index.deliver(chain.block({ txs: [call] }).delivery);
    assert.deepEqual((await index.get(events)).body.results, []);
    assert.equal((await index.get('/extended/v1/pox3/events')).body.results.length, 1);
    assert.equal((await index.get(events.replace('pox4', 'pox5'))).status, 400);
    assert.equal((await index.get(events.replace('pox4', 'pox'))).status, 404);
  });

  test('a page is a slice of the list; of a stacker without a limit at most a thousand events are sent', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const prints = Array.from({ length: 1001 }, () => poxPrint('delegate-stx', A, delegated(POOL)));
    await index.deliver(chain.block({ txs: [printing(chain, ...prints)] }).delivery);
    const places = async (url: string) =>
      (await index.get(url)).body.results.map(({ event_index }: { event_index: number }) => event_index);
    assert.deepEqual(await places(`${events}?limit=2&offset=3`), [997, 996]);
    assert.deepEqual(await places(`${events}?offset=1001`), []);
    assert.equal((await places(`${events}?limit=0`)).length, 96);
    assert.deepEqual(await places(stackerPath(A, '?limit=2&offset=999')), [1, 0]);
    assert.equal((await places(stackerPath(A, '?offset=1'))).length, 1000);
    const { status, body } = await index.get(stackerPath(A));
    assert.deepEqual([status, body.code], [400, 'RESPONSE_TOO_LARGE']);
  });

  test('a transaction of an orphaned block has no events, one of no block is not found; ids need 0x and whole bytes', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const base = chain.block();
    const call = printing(chain, poxPrint('delegate-stx', A, delegated(POOL)));
    const left = chain.block({ parent: base, txs: [call] });
    await index.deliver(base.delivery, left.delivery);
    const before = (await index.get(txPath(call.txId))).body;
    assert.equal(before.results.length, 1);
    await index.deliver(...chain.chain(2, base).map(block => block.delivery));
    assert.deepEqual((await index.get(txPath(call.txId))).body, { results: [] });
    assert.deepEqual((await index.get(events)).body.results, []);
    assert.deepEqual((await index.get(stackerPath(A))).body.results, []);
    await index.deliver(...chain.chain(2, left).map(block => block.delivery));
    assert.deepEqual((await index.get(txPath(call.txId))).body, before);
    const wrong = (id: string) => `params/tx_id must be 0x and hex digits, two for each byte, not "${id}"`;
    for (const [id, status, message] of [
      [`0x${'ab'.repeat(32)}`, 404, 'could not find transaction by ID'],
      ['0x12', 404, 'could not find transaction by ID'],
      [call.txId.slice(2), 400, wrong(call.txId.slice(2))],
      ['0xabc', 400, wrong('0xabc')],
      ['0xzz', 400, wrong('0xzz')],
    ] as const) {
      const response = await index.get(txPath(id));
      assert.deepEqual([response.status, response.body.message], [status, message], id);
    }
  });

  test('a transaction of a microblock that lost to another has no events, until a block accepts it', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const base = chain.block();
    const call = printing(chain, poxPrint('delegate-stx', A, delegated(POOL)));
    const [lost] = chain.microblocks(base, [[call]]);
    const [winner] = chain.microblocks(base, [[chain.transfer()]]);
    assert.ok(lost && winner);
    await index.deliver(base.delivery, chain.stream(base, [lost]), chain.stream(base, [winner]));
    assert.deepEqual((await index.get(txPath(call.txId))).body, { results: [] });
    await index.deliver(chain.block({ parent: base, microblocks: [lost] }).delivery);
    assert.equal((await index.get(txPath(call.txId))).body.results.length, 1);
  });

  test('the older paths lead to those without _events, with their query', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    for (const pox of ['pox2', 'pox3', 'pox4']) {
      const { status, headers } = await index.get(`/extended/v1/${pox}_events/stacker/${A}?limit=2`);
      assert.deepEqual([status, headers.location], [302, `/extended/v1/${pox}/stacker/${A}?limit=2`]);
      assert.equal((await index.get(`/extended/v1/${pox}_events`)).status, 404);
    }
    assert.equal((await index.get('/extended/v1/pox5_events/events')).status, 404);
  });
});
