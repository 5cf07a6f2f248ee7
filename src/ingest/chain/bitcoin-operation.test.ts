import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filled } from '../../../test/support/wire-transaction.ts';
import {
  bitcoinToPoxAddress,
  clarityRepr,
  encodeAddress,
  encodeClarityAscii,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
  encodePoxAddress,
  type Payload,
  stacksToPoxAddress,
  type Transaction,
} from '../../base/codec/index.ts';
import { toHex } from '../../base/lib/hex.ts';
import { nodeTransaction } from '../node/events/transaction.ts';
import { transactionEvent } from '../node/events/transaction-event.ts';
import { readTransactions } from './block-facts.ts';
import { bootAddress, type Network } from './network.ts';

const TX_ID = `0x${'ab'.repeat(32)}`;
const STACKER = encodeAddress(26, filled(20, 0x0c));
const POOL = encodeAddress(26, filled(20, 0x0d));
const BOOT = bootAddress('testnet');
const REWARD = 'mxXw9bceXuFB6HZjqriS527kTqt5H9VczT';
const SIGNER_KEY = '02'.repeat(33);
const BURN_HEIGHT = 1_000;

type Wire = Readonly<Record<string, unknown>>;

/** The transaction made for an operation with this op and these events in a Stacks block at burn height 1000. */
function read(
  burnchain_op: Wire | null,
  events: readonly Wire[],
  { status = 'success', network = 'testnet' as Network } = {},
) {
  const execution_cost = { runtime: 0, read_count: 0, read_length: 0, write_count: 0, write_length: 0 };
  const wire = { txid: TX_ID, tx_index: 3, raw_tx: '0x00', raw_result: '0x0703', status, burnchain_op, execution_cost };
  return readTransactions(
    [nodeTransaction(wire, {})],
    events.map((event, event_index) => transactionEvent({ txid: TX_ID, event_index, committed: true, ...event }, {})),
    { burnBlockHeight: BURN_HEIGHT, network },
  );
}

function transactionOf(op: Wire | null, events: readonly Wire[]): Transaction {
  const { txs, unreadable } = read(op, events);
  assert.deepEqual(unreadable, []);
  assert.ok(txs[0]);
  return txs[0].transaction;
}

/** Sender, contract, function and the arguments as text. */
function callOf({ origin, payload }: Transaction): unknown[] {
  assert.equal(payload.kind, 'contract_call');
  const { contractId, functionName, args } = payload as Extract<Payload, { kind: 'contract_call' }>;
  return [origin.address, contractId, functionName, args.map(({ repr }) => repr)];
}

const reprOf = (value: Uint8Array): string => {
  const repr = clarityRepr(value);
  assert.ok(repr.ok);
  return repr.value;
};

const poxRepr = (address: ReturnType<typeof bitcoinToPoxAddress>): string => {
  assert.ok(address);
  return reprOf(encodePoxAddress(address));
};

const account = (address: string): Wire => ({ address });
const transfer = { sender: STACKER, recipient: POOL, amount: '500', memo: '68690000' };
const transferEvent = { type: 'stx_transfer_event', stx_transfer_event: transfer };
const mintEvent = { type: 'stx_mint_event', stx_mint_event: { recipient: POOL, amount: '77' } };
const lockEvent = (contract: string | null): Wire => ({
  type: 'stx_lock_event',
  stx_lock_event: {
    locked_amount: '90000',
    unlock_height: String(BURN_HEIGHT + 3 * 50 + 49),
    locked_address: STACKER,
    contract_identifier: contract,
  },
});

/** A print of a PoX contract. */
function poxPrint(contract: string, name: string, data: Record<string, Uint8Array>): Wire {
  const event = encodeClarityTuple({
    name: encodeClarityAscii(name),
    stacker: encodeClarityPrincipal(STACKER),
    balance: encodeClarityUint(0),
    locked: encodeClarityUint(0),
    'burnchain-unlock-height': encodeClarityUint(0),
    data: encodeClarityTuple(data),
  });
  const raw_value = toHex(Buffer.concat([Uint8Array.of(0x07), event]));
  return {
    type: 'contract_event',
    contract_event: { contract_identifier: `${BOOT}.${contract}`, topic: 'print', raw_value },
  };
}

const delegationData = (until: number | null): Record<string, Uint8Array> => ({
  'amount-ustx': encodeClarityUint(4000),
  'delegate-to': encodeClarityPrincipal(POOL),
  'unlock-burn-height': until === null ? encodeClarityNone() : encodeClaritySome(encodeClarityUint(until)),
  'pox-addr': encodeClarityNone(),
});

const stackStx = (fields: Wire = {}): Wire => ({
  stack_stx: { sender: account(STACKER), stacked_ustx: 90_000, num_cycles: 4, reward_addr: REWARD, ...fields },
});
const delegateStx = (fields: Wire = {}): Wire => ({
  delegate_stx: { sender: account(STACKER), delegate_to: account(POOL), delegated_ustx: 4321, ...fields },
});

test('rule 1: an operation without events did nothing, and is not stored', () => {
  assert.deepEqual(read(stackStx(), []), { txs: [], unreadable: [] });
});

test('rule 1: an operation that failed has no events in effect, and is not stored', () => {
  for (const status of ['abort_by_response', 'abort_by_post_condition'])
    assert.deepEqual(read(stackStx(), [transferEvent], { status }), { txs: [], unreadable: [] });
});

test('rule 2: a transfer event makes a token transfer of the event’s parties and amount, without a memo', () => {
  const op = {
    transfer_stx: { sender: account(STACKER), recipient: account(POOL), transfered_ustx: 500, memo: '0x6869' },
  };
  const { origin, payload } = transactionOf(op, [transferEvent]);
  assert.equal(origin.address, STACKER);
  assert.deepEqual(payload, { kind: 'token_transfer', typeId: 0, recipient: POOL, amount: 500n, memo: '0x' });
});

test('rule 2 goes before the others', () => {
  const { payload } = transactionOf(stackStx({ signer_key: SIGNER_KEY }), [lockEvent(null), mintEvent, transferEvent]);
  assert.equal(payload.kind, 'token_transfer');
});

test('a stack-stx operation of PoX 4 names the burn block that it says it is in (rule 3)', () => {
  const start = (fields: Wire) =>
    (callOf(transactionOf(stackStx({ signer_key: SIGNER_KEY, ...fields }), [lockEvent(null)]))[3] as string[])[2];
  assert.equal(start({ burn_block_height: 998 }), 'u998');
  assert.equal(start({}), `u${BURN_HEIGHT}`);
});

test('rule 3: stack-stx with a signer key is a call of pox-4 with what the operation says', () => {
  const op = stackStx({ signer_key: SIGNER_KEY, max_amount: '340282366920938463463374607431768211455', auth_id: 12 });
  const tx = transactionOf(op, [lockEvent(`${BOOT}.pox-4`)]);
  assert.deepEqual(callOf(tx), [
    STACKER,
    `${BOOT}.pox-4`,
    'stack-stx',
    [
      'u90000',
      poxRepr(bitcoinToPoxAddress(REWARD)),
      `u${BURN_HEIGHT}`,
      'u4',
      'none',
      `0x${SIGNER_KEY}`,
      'u340282366920938463463374607431768211455',
      'u12',
    ],
  ]);
});

test('rule 4: a lock event makes a call of the contract that locked; whole cycles up to the unlock are counted', () => {
  const tx = transactionOf(stackStx(), [lockEvent(`${BOOT}.pox-2`)]);
  assert.deepEqual(callOf(tx), [
    STACKER,
    `${BOOT}.pox-2`,
    'stack-stx',
    ['u90000', poxRepr(stacksToPoxAddress(STACKER)), `u${BURN_HEIGHT}`, 'u3'],
  ]);
});

test('rule 4: where no contract is named, it was the first, pox; no operation need be given (nodes before 2.1)', () => {
  const [, contractId] = callOf(transactionOf(null, [lockEvent(null)]));
  assert.equal(contractId, `${BOOT}.pox`);
});

test('rule 4: the reward address is the one that the PoX event tells', () => {
  const poxAddress = bitcoinToPoxAddress(REWARD);
  assert.ok(poxAddress);
  const data = {
    'lock-amount': encodeClarityUint(90_000),
    'lock-period': encodeClarityUint(3),
    'start-burn-height': encodeClarityUint(BURN_HEIGHT),
    'unlock-burn-height': encodeClarityUint(BURN_HEIGHT + 150),
    'pox-addr': encodePoxAddress(poxAddress),
  };
  const tx = transactionOf(stackStx(), [poxPrint('pox-3', 'stack-stx', data), lockEvent(`${BOOT}.pox-3`)]);
  assert.equal((callOf(tx)[3] as string[])[1], poxRepr(poxAddress));
});

test('rule 4: an unlock before the block counts no cycles', () => {
  const lock = lockEvent(null);
  const early = { ...lock, stx_lock_event: { ...(lock.stx_lock_event as Wire), unlock_height: '10' } };
  assert.equal((callOf(transactionOf(null, [early]))[3] as string[])[3], 'u0');
});

test('rule 5: delegate-stx of pox-4 is a call with what the operation says', () => {
  const print = poxPrint('pox-4', 'delegate-stx', delegationData(null));
  const tx = transactionOf(delegateStx({ until_burn_height: 2000, reward_addr: [1, REWARD] }), [print]);
  const reward = poxRepr(bitcoinToPoxAddress(REWARD));
  assert.deepEqual(callOf(tx), [
    STACKER,
    `${BOOT}.pox-4`,
    'delegate-stx',
    ['u4321', `'${POOL}`, '(some u2000)', `(some ${reward})`],
  ]);
  const bare = transactionOf(delegateStx(), [print]);
  assert.deepEqual(callOf(bare)[3], ['u4321', `'${POOL}`, 'none', 'none']);
});

test('rule 6: delegate-stx of another contract, or without an operation, is a call with what the event says', () => {
  const older = transactionOf(delegateStx(), [poxPrint('pox-3', 'delegate-stx', delegationData(1500))]);
  assert.deepEqual(callOf(older), [
    STACKER,
    `${BOOT}.pox-3`,
    'delegate-stx',
    ['u4000', `'${POOL}`, '(some u1500)', 'none'],
  ]);
  const untold = transactionOf(null, [poxPrint('pox-4', 'delegate-stx', delegationData(null))]);
  assert.deepEqual(callOf(untold)[3], ['u4000', `'${POOL}`, 'none', 'none']);
});

test('rule 6: a print of a contract that only looks like PoX is no delegation', () => {
  const print = poxPrint('pox-4', 'delegate-stx', delegationData(null));
  const foreign = { ...(print.contract_event as Wire), contract_identifier: `${STACKER}.pox-4` };
  const { txs, unreadable } = read(null, [{ ...print, contract_event: foreign }]);
  assert.equal(txs.length, 0);
  assert.equal(unreadable.length, 1);
});

test('rule 7: a mint is a transfer by the boot address', () => {
  const { origin, payload } = transactionOf(null, [mintEvent]);
  assert.equal(origin.address, BOOT);
  assert.deepEqual(payload, { kind: 'token_transfer', typeId: 0, recipient: POOL, amount: 77n, memo: '0x' });
});

test('rule 8: an operation that no rule fits is named, with what kind it is', () => {
  const burn = { type: 'stx_burn_event', stx_burn_event: { sender: STACKER, amount: '1' } };
  for (const [op, kind] of [
    [{ register_asset: { asset_type: 'nft' } }, /unknown|register_asset/],
    [stackStx(), /stack_stx/],
    [null, /unknown/],
  ] as const) {
    const { txs, unreadable } = read(op, [burn]);
    assert.deepEqual(txs, []);
    assert.equal(unreadable[0]?.txId, TX_ID);
    assert.match(unreadable[0]?.reason ?? '', kind);
  }
});

test('an operation with a reward address that has no PoX form is named, and harms nothing else', () => {
  const { txs, unreadable } = read(stackStx({ signer_key: SIGNER_KEY, reward_addr: 'nonsense' }), [lockEvent(null)]);
  assert.deepEqual(txs, []);
  assert.match(unreadable[0]?.reason ?? '', /malformed/);
});

test('an amount above 128 bits is named, and harms nothing else', () => {
  const lock = lockEvent(null);
  const huge = { ...lock, stx_lock_event: { ...(lock.stx_lock_event as Wire), locked_amount: '9'.repeat(39) } };
  assert.match(read(null, [huge]).unreadable[0]?.reason ?? '', /malformed/);
});

test('what every operation has in common: no fee, no nonce, no signature, any anchor, any transfers allowed', () => {
  for (const [network, version, chainId] of [
    ['mainnet', 0x00, 0x00000001],
    ['testnet', 0x80, 0x80000000],
  ] as const) {
    const [facts] = read(null, [transferEvent], { network }).txs;
    assert.ok(facts);
    const { transaction: tx } = facts;
    assert.deepEqual([facts.txId, facts.txIndex, facts.rawTx, tx.txId], [TX_ID, 3, '0x00', TX_ID]);
    assert.deepEqual([tx.version, tx.chainId, tx.anchorMode, tx.postConditionMode], [version, chainId, 3, 1]);
    assert.deepEqual([tx.postConditions, tx.sponsor], [[], null]);
    const { kind, hashMode, nonce, fee } = tx.origin;
    assert.deepEqual([kind, hashMode, nonce, fee], ['single_sig', 0, 0n, 0n]);
  }
});
