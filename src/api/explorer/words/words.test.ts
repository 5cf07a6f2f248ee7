import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as Api from '../../routes/records.ts';
import { causeOf } from './failures.ts';
import { helpFor, STATUS_HELP } from './help.ts';
import { balanceCheck, feeCheck, nonceCheck, type PendingCheck, verdictOf } from './pending.ts';
import { stateOf } from './states.ts';

/** Only the members that decide the words. */
const transaction = (facts: Partial<Api.Transaction>): Api.Transaction => facts as Api.Transaction;
const result = (repr: string) => ({ hex: '0x', repr });

test('the sentence of a state claims only what holds for its status, type and cause', () => {
  for (const [facts, word, says, never] of [
    [{ tx_status: 'success' }, 'Confirmed', /part of the chain/, /fee/],
    [{ tx_status: 'success', is_unanchored: true }, 'Confirmed', /microblock/, /part of the chain/],
    [{ tx_status: 'success', canonical: false }, 'Orphaned', /no longer part/, /Confirmed/],
    [{ tx_status: 'pending' }, 'Pending', /mempool/, /part of the chain|fee was/],
    [
      { tx_status: 'abort_by_response', tx_type: 'contract_call', vm_error: null, tx_result: result('(err u4)') },
      'Failed',
      /contract returned an error.*fee was paid/,
      /post-condition|deployed/,
    ],
    [
      {
        tx_status: 'abort_by_response',
        tx_type: 'contract_call',
        vm_error: 'DivisionByZero',
        tx_result: result('(err none)'),
      },
      'Failed',
      /stopped with an error.*fee was paid/,
      /contract returned|post-condition/,
    ],
    // No contract existed that could return an error.
    [
      { tx_status: 'abort_by_response', tx_type: 'smart_contract', vm_error: 'illegal non-ASCII character' },
      'Failed',
      /not deployed.*fee was paid/,
      /contract returned|refused/,
    ],
    [{ tx_status: 'abort_by_response', tx_type: 'token_transfer' }, 'Failed', /no effect.*fee was paid/, /contract/i],
    [
      { tx_status: 'abort_by_post_condition', tx_type: 'contract_call', tx_result: result('(ok true)') },
      'Failed',
      /post-condition of the sender was not met.*fee was paid/,
      /contract returned/,
    ],
    [
      { tx_status: 'abort_by_post_condition', tx_type: 'contract_call', tx_result: result('(err u1)') },
      'Failed',
      /contract returned an error.*fee was paid/,
      /was not met/,
    ],
    [{ tx_status: 'problematic_skipped' }, 'Skipped', /fee and nonce are used/, /fee was paid|no fee/],
    [{ tx_status: 'dropped_replace_by_fee' }, 'Replaced', /same nonce and a higher fee/, /fee was paid|fork/],
    [{ tx_status: 'dropped_replace_across_fork' }, 'Replaced', /same nonce.*fork/, /higher fee|fee was paid/],
    [{ tx_status: 'dropped_too_expensive' }, 'Dropped', /budget/, /fee was paid/],
    [{ tx_status: 'dropped_stale_garbage_collect' }, 'Dropped', /expired.*no fee was paid/, / the fee was paid/],
    [{ tx_status: 'dropped_problematic' }, 'Dropped', /refuse/, /fee was paid/],
  ] as const) {
    const state = stateOf(transaction(facts as Partial<Api.Transaction>));
    assert.equal(state.word, word, JSON.stringify(facts));
    assert.match(state.sentence, says, JSON.stringify(facts));
    assert.doesNotMatch(state.sentence, never, JSON.stringify(facts));
  }
});

test('a known message of the node is a cause in words, by what failed; an unknown one stays as it is', () => {
  for (const [tx_type, vm_error, cause] of [
    ['contract_call', 'ArithmeticUnderflow\n Stack Trace: \nST1.x:subtract', /below zero/],
    ['contract_call', "use of unresolved function 'no-such-function'", /function that it calls/],
    ['smart_contract', "use of unresolved function 'no-such-function'", /does not define/],
    ['smart_contract', "use of unresolved contract 'ST1.x'", /did not exist at that block/],
    ['smart_contract', "illegal non-ASCII character, '🍣'", /not ASCII/],
    ['smart_contract', "to match this '('", /parenthesis/],
    [
      'smart_contract',
      ':12:3: expecting expression of type uint',
      /^Line 12, column 3: expecting expression of type uint$/,
    ],
    ['smart_contract', "expecting expression of type 'uint', found 'int'", undefined],
    ['contract_call', 'RuntimeCheck(TypeValueError(IntType', /arguments do not fit/],
    ['contract_call', 'something new', undefined],
    ['contract_call', null, undefined],
  ] as const) {
    const words = causeOf(transaction({ tx_type, vm_error }));
    if (cause === undefined) assert.equal(words, undefined, String(vm_error));
    else assert.match(words ?? '', cause, String(vm_error));
  }
});

const OTHERS = { type: 'calls', low: 200, median: 300, high: 400 };

test('a pending transaction shows what delays it, and the most serious delay decides the conclusion', () => {
  const nonces = (last: number | null, missing: readonly number[] = []) => ({
    last_confirmed_nonce: last,
    mempool: { last_nonce: null, pending_nonces: [], missing_nonces: [...missing] },
  });
  const at = (nonce: number, last: number | null, missing?: readonly number[]) =>
    nonceCheck(nonce, 'ST000000000000000000002AMW42H', nonces(last, missing), 'sender');
  for (const [check, level, says] of [
    [at(0, null), 'fine', /is the next one/],
    [at(8, 7), 'fine', /is the next one/],
    [at(8, 6), 'after', /1 transaction with an earlier nonce is pending/],
    [at(8, null), 'after', /8 transactions with earlier nonces are pending/],
    [at(8, 5, [6]), 'blocked', /Nonce 6 of .* must come first.* with it\./],
    [at(8, 5, [9, 7, 6]), 'blocked', /Nonces 6, 7 of .* with them\./],
    [at(8, 8), 'never', /is used/],
    [balanceCheck('ST000000000000000000002AMW42H', 5n, 5n), 'fine', /covers/],
    [balanceCheck('ST000000000000000000002AMW42H', 4n, 5n), 'blocked', /needs/],
    [feeCheck(100n, OTHERS, { rank: 3, total: 9 }), 'low', /number 3 of 9.*: below the low fee of the calls/],
    [
      feeCheck(200n, OTHERS, undefined),
      'fine',
      /: between the low and the median fee .*\(low 0\.0002 STX, median 0\.0003 STX/,
    ],
    [feeCheck(399n, OTHERS, undefined), 'fine', /: between the median and the high fee/],
    [feeCheck(400n, OTHERS, undefined), 'fine', /: at or above the high fee/],
    [
      feeCheck(1n, { ...OTHERS, low: 0, median: 0 }, { rank: 1, total: 1 }),
      'fine',
      /^The fee is [\d.]+ STX. Few calls are/,
    ],
    [
      feeCheck(1n, OTHERS, undefined, { count: 0, waited: null, blocks: 9 }),
      'low',
      /No transaction .* in the newest 9 blocks\.$/,
    ],
    [
      feeCheck(1n, OTHERS, undefined, { count: 2, waited: 1, blocks: 9 }),
      'low',
      /2 transactions .* were .*, after 1 block in/,
    ],
  ] as const) {
    assert.equal(check.level, level, check.text.toString());
    assert.match(check.text.toString().replaceAll(/<[^>]*>/g, ''), says);
  }
  const fine = at(8, 7);
  const verdict = (...levels: PendingCheck['level'][]) => verdictOf(levels.map(level => ({ ...fine, level })));
  assert.match(verdict('fine', 'fine'), /Nothing about it is unusual/);
  assert.match(verdict('after', 'fine'), /cannot be mined before/);
  assert.match(verdict('low', 'after', 'fine'), /cannot be mined before/);
  assert.match(verdict('after', 'blocked'), /cannot be mined as things are/);
  assert.match(verdict('never', 'blocked'), /never/);
  assert.match(verdict('low'), /higher fee/);
});

test('the text of an error of a wallet or a node has an entry in the help', () => {
  for (const [typed, id] of [
    ['abort_by_post_condition', 'abort_by_post_condition'],
    ['Post-condition', 'abort_by_post_condition'],
    [
      'transaction rejected: {"reason":"ConflictingNonceInMempool","error":"transaction rejected"}',
      'ConflictingNonceInMempool',
    ],
    ['Error: NotEnoughFunds', 'NotEnoughFunds'],
    ['not enough funds', 'NotEnoughFunds'],
    ['BadNonce', 'BadNonce'],
    ['dropped_stale_garbage_collect', 'dropped_stale_garbage_collect'],
    ['Post-condition check failure on STX owned by ST1: 5000 SentLt 5000', 'abort_by_post_condition'],
    ['fee rate', 'fee-rate'],
  ] as const)
    assert.equal(helpFor(typed)?.id, id, typed);
  assert.equal(helpFor('anchor block')?.id, 'anchor');
  for (const typed of ['alice', 'token', 'vault-expired-things', '']) assert.equal(helpFor(typed), undefined, typed);
  for (const status of STATUS_HELP) assert.equal(helpFor(status.id)?.id, status.id);
});
