/** Pages about PoX 5, on the chain of today. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFreshOf } from '../support/engines.ts';
import { replayed } from '../support/replayed.ts';
import { openTestIndex } from '../support/test-index.ts';
import { TODAYS_CHAIN } from '../support/todays-chain.ts';

test('bonds, who takes part in them, and managers of signers have pages, with the numbers of the API', async t => {
  const index = await openTestIndex((await replayed(openFreshOf.sqlite, TODAYS_CHAIN)(t)).database);
  const { body: bonds } = await index.get('/extended/v3/staking/bonds');
  const [bond] = bonds.results;
  const overview = (await index.page('/explorer/stacking')).body;
  assert.match(overview, new RegExp(`href="stacking/bond/${bond.index}"`));
  assert.match(overview, /<svg class="timeline"/);
  const { body: page } = await index.page(`/explorer/stacking/bond/${bond.index}`);
  for (const amount of [bond.balances.locked.btc, bond.parameters.btc_capacity, bond.balances.locked.stx])
    assert.match(page, new RegExp(`<data value="${amount}"`));
  const { body: members } = await index.get(`/extended/v3/staking/bonds/${bond.index}/registrations`);
  for (const { staker, signer } of members.results) {
    assert.match(page, new RegExp(`href="address/${staker}"`));
    const manager = await index.page(`/explorer/stacking/manager/${signer}`);
    assert.equal(manager.status, 200);
    assert.match(manager.body, new RegExp(`href="contract/${signer}"`));
    const { bonds: own } = (await index.get(`/extended/v3/principals/${staker}/staking`)).body;
    const account = (await index.page(`/explorer/address/${staker}`)).body;
    assert.match(
      account,
      new RegExp(`It stakes .*<data value="${own.locked.btc}".* in ${own.count} bond.*Its rewards: `),
    );
  }
  // Neither links to a Bitcoin block of the future.
  for (const html of [overview, page])
    for (const [, height] of html.matchAll(/href="(btc\/\d+)"/g))
      assert.equal((await index.page(`/explorer/${height}`)).status, 200, height);
  const { body: cycles } = await index.get('/extended/v2/pox/cycles?limit=1');
  assert.match((await index.page(`/explorer/stacking/${cycles.results[0].cycle_number}`)).body, /stacking\/manager\//);
  assert.doesNotMatch((await index.page('/explorer/address/ST000000000000000000002AMW42H')).body, /It stakes/);
  assert.equal((await index.page('/explorer/stacking/bond/99')).status, 404);
});

test('a Bitcoin block says what its miners paid to stackers', async t => {
  const index = await openTestIndex((await replayed(openFreshOf.sqlite, TODAYS_CHAIN)(t)).database);
  const { body: payments } = await index.get('/extended/v2/burn-blocks/128/pox-transactions');
  const { status, body } = await index.page('/explorer/btc/128');
  assert.equal(status, 200);
  assert.ok(payments.total > 0);
  const [, paid = ''] = body.split('Paid to stackers on Bitcoin');
  assert.equal(paid.match(new RegExp(payments.results[0].recipient, 'g'))?.length, payments.total);
});

test('a call whose arguments have no names is told without amounts', async t => {
  const index = await openTestIndex((await replayed(openFreshOf.sqlite, TODAYS_CHAIN)(t)).database);
  const { body: calls } = await index.get(
    '/extended/v1/tx?type=contract_call&function_name=stake&contract_id=ST000000000000000000002AMW42H.pox-5',
  );
  const { body } = await index.page(`/explorer/tx/${calls.results[0].tx_id}`);
  assert.doesNotMatch(body, /stakes <b><data value="0"/);
  assert.match(body, /stakes <b><data value="90000000000"/);
});

test('how far a cycle is, its prepare phase and the cycles of a signer are told without a node', async t => {
  const archive = join(import.meta.dirname, '../../examples/sample-chain.tsv.gz');
  const index = await openTestIndex((await replayed(openFreshOf.sqlite, archive)(t)).database);
  const { body: cycle } = await index.get('/extended/v3/staking/cycles/current');
  const { start, prepare_phase_start: prepare, end } = cycle.schedule;
  assert.deepEqual(
    [start, prepare, end].map(({ bitcoin_height }) => bitcoin_height),
    [160, 176, 179],
  );
  assert.equal(cycle.status, 'reward_phase');
  for (const path of ['', '/stacking', '/stacking/8']) {
    const { body } = await index.page(`/explorer${path}`);
    assert.match(body, /of 160 to 179: \d+ blocks left, about .*; its prepare phase begins at 176/);
  }
  const { body: cycles } = await index.page('/explorer/stacking');
  assert.match(cycles, /<dt>Stacked<\/dt><dd><data value="148000000000000".*<dt>Next cycle<\/dt><dd>in \d+ blocks/s);
  assert.match((await index.page('/explorer/stacking/7')).body, /Bitcoin blocks 140 to 159\. It has ended\./);
  const { body: signers } = await index.get('/extended/v2/pox/cycles/8/signers');
  const [{ signing_key: key }] = signers.results;
  const { body: signed } = await index.get(`/extended/v3/staking/signers/${key}/cycles`);
  const { body: page } = await index.page(`/explorer/stacking/8/${key}`);
  for (const { cycle_number } of signed.results)
    assert.match(page, new RegExp(`href="stacking/${cycle_number}/${key}"`));
  assert.equal(signed.total, page.match(/<rect x="/g)?.length);
});
