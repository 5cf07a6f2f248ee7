import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bytes,
  filled,
  name,
  singleSig,
  sponsoredAuth,
  standardAuth,
  standardPrincipal,
  u32,
  u64,
  wireTransaction,
} from '../../../test/support/wire-transaction.ts';
import { decodeTransaction, encodeAddress } from '../../base/codec/index.ts';
import type { TransactionFacts } from '../../ingest/chain/block-facts.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { type Member, membersOf } from './members.ts';

/** The conditions of wireTransaction's signers: hash 0x11 for P2PKH; 0x12 represents the sponsor. */
const ORIGIN = encodeAddress(22, filled(20, 0x11));
const SPONSOR = encodeAddress(22, filled(20, 0x12));
const OTHER = encodeAddress(22, filled(20, 0x22));
const CONTRACT = `${encodeAddress(22, filled(20, 0x33))}.vault`;
const ASSET = `${CONTRACT}::coin`;

const sponsor = singleSig(0, 1, 70).with(1, 0x12).fill(0x12, 1, 21);
const call = bytes(0x02, 22, filled(20, 0x33), name('vault'), name('run'), u32(0));
const transfer = bytes(0x00, standardPrincipal(22, 0x22), u64(500), filled(34, 0));
const deploy = bytes(0x01, name('vault'), u32(2), '()');

type Event = EventFacts extends infer E ? (E extends EventFacts ? Omit<E, 'index'> : never) : never;

function facts(payload: Uint8Array, events: readonly Event[], more: Partial<TransactionFacts> = {}, sponsored = false) {
  const origin = singleSig(0, 7, 50);
  const auth = sponsored ? sponsoredAuth(origin, sponsor) : standardAuth(origin);
  const decoded = decodeTransaction(wireTransaction({ auth, payload }));
  assert.ok(decoded.ok);
  const numbered = events.map((event, index) => ({ index, ...event }) as EventFacts);
  return {
    transaction: decoded.value,
    events: numbered,
    ownTimes: null,
    status: 'success',
    ...more,
  } as TransactionFacts;
}

/** What a member shows: sent with the fee, received, and the counts that are not zero. */
function shown(member: Member | undefined) {
  if (!member) return undefined;
  const counts = Object.entries(member.counts ?? {}).flatMap(([asset, actions]) =>
    Object.entries(actions).flatMap(([action, count]) => (count > 0 ? [`${count} ${asset} ${action}`] : [])),
  );
  return [String(member.sent + member.fee), String(member.received), ...counts];
}

const stx = (action: 'transfer' | 'mint' | 'burn', sender: string | null, recipient: string | null, amount: string) =>
  ({ kind: 'stx', action, sender, recipient, amount, memo: null }) as const;

test('a transfer: the sender shows the amount and the fee, the recipient the amount', () => {
  const members = membersOf(facts(transfer, [stx('transfer', ORIGIN, OTHER, '500')]));
  assert.deepEqual(shown(members.get(ORIGIN)), ['550', '0', '1 stx transfer']);
  assert.deepEqual(shown(members.get(OTHER)), ['0', '500', '1 stx transfer']);
});

test('a sponsored call: the sponsor pays, a transfer to oneself counts once and adds to both sums', () => {
  const ft = { kind: 'ft', asset: ASSET } as const;
  const nft = { kind: 'nft', asset: ASSET, value: '0x03' } as const;
  const events: Event[] = [
    stx('transfer', OTHER, OTHER, '3'),
    { ...ft, action: 'mint', sender: null, recipient: OTHER, amount: '12' },
    { ...ft, action: 'transfer', sender: OTHER, recipient: OTHER, amount: '5' },
    { ...nft, action: 'mint', sender: null, recipient: OTHER },
    { ...nft, action: 'mint', sender: null, recipient: OTHER },
    { ...nft, action: 'burn', sender: OTHER, recipient: null },
  ];
  const members = membersOf(facts(call, events, {}, true));
  assert.deepEqual(shown(members.get(ORIGIN)), ['0', '0']);
  assert.deepEqual(shown(members.get(SPONSOR)), ['70', '0']);
  const counts = ['1 stx transfer', '1 ft transfer', '1 ft mint', '2 nft mint', '1 nft burn'];
  assert.deepEqual(shown(members.get(OTHER)), ['3', '3', ...counts]);
  assert.deepEqual(shown(members.get(CONTRACT)), ['0', '0']);
  assert.equal(members.size, 4);
});

test('a burn is sent, a mint is received', () => {
  const members = membersOf(facts(call, [stx('burn', OTHER, null, '9'), stx('mint', null, OTHER, '4')]));
  assert.deepEqual(shown(members.get(OTHER)), ['9', '4', '1 stx mint', '1 stx burn']);
});

test('a failed transfer still concerns its recipient and costs its fee', () => {
  const members = membersOf(facts(transfer, [], { status: 'abort_by_response' }));
  assert.deepEqual(shown(members.get(ORIGIN)), ['50', '0']);
  assert.deepEqual(shown(members.get(OTHER)), ['0', '0']);
});

test('the contract that a transaction deploys is a member; one that only printed, or whose STX are locked, is not', () => {
  const log = { kind: 'log', contractId: CONTRACT, topic: 'print', value: '0x03' } as const;
  const lock = { kind: 'stx_lock', lockedAmount: '1', unlockHeight: 9, address: OTHER, contractId: null } as const;
  const members = membersOf(facts(deploy, [log, lock]));
  assert.deepEqual([...members.keys()].sort(), [ORIGIN, `${ORIGIN}.vault`].sort());
});

test('a search knows senders, recipients and parties of events, not those who only sponsor or are called', () => {
  const members = membersOf(facts(call, [stx('mint', null, OTHER, '1')], {}, true));
  const known = [...members].filter(([, member]) => member.known).map(([principal]) => principal);
  assert.deepEqual(known.sort(), [ORIGIN, OTHER].sort());
});
