import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { EventSchemaV1 } from '../../api/records/transactions/schema.ts';
import type { EventFacts } from '../../ingest/chain/event-facts.ts';
import { eventV1 } from './event-v1.ts';

const TX = `0x${'1a'.repeat(32)}`;
const WHO = 'SP000000000000000000002Q6VF78';
const ASSET = `${WHO}.token::coin`;
const value = { hex: '0x0100000000000000000000000000000007', repr: 'u7' };
const sent = { action: 'transfer', sender: WHO, recipient: `${WHO}.pox` } as const;

/** Of every kind; the order of keys is that of the text. */
const shown: { readonly [K in EventFacts['kind']]: readonly [Extract<EventFacts, { kind: K }>, string][] } = {
  log: [
    [
      { kind: 'log', index: 0, contractId: `${WHO}.pox`, topic: 'print', value: value.hex },
      `{"event_index":0,"event_type":"smart_contract_log","tx_id":"${TX}","contract_log":{"contract_id":"${WHO}.pox","topic":"print","value":${JSON.stringify(value)}}}`,
    ],
  ],
  stx_lock: [
    [
      {
        kind: 'stx_lock',
        index: 1,
        lockedAmount: '9007199254740993',
        unlockHeight: 670250,
        address: WHO,
        contractId: null,
      },
      `{"event_index":1,"event_type":"stx_lock","tx_id":"${TX}","stx_lock_event":{"locked_amount":"9007199254740993","unlock_height":670250,"locked_address":"${WHO}"}}`,
    ],
  ],
  stx: [
    [
      { kind: 'stx', index: 2, ...sent, amount: '10', memo: '0x00ff' },
      `{"event_index":2,"event_type":"stx_asset","tx_id":"${TX}","asset":{"asset_event_type":"transfer","sender":"${WHO}","recipient":"${WHO}.pox","amount":"10","memo":"0x00ff"}}`,
    ],
    [
      { kind: 'stx', index: 3, action: 'mint', sender: null, recipient: WHO, amount: '10', memo: null },
      `{"event_index":3,"event_type":"stx_asset","tx_id":"${TX}","asset":{"asset_event_type":"mint","sender":"","recipient":"${WHO}","amount":"10"}}`,
    ],
  ],
  ft: [
    [
      { kind: 'ft', index: 4, action: 'burn', sender: WHO, recipient: null, asset: ASSET, amount: '3' },
      `{"event_index":4,"event_type":"fungible_token_asset","tx_id":"${TX}","asset":{"asset_event_type":"burn","asset_id":"${ASSET}","sender":"${WHO}","recipient":"","amount":"3"}}`,
    ],
  ],
  nft: [
    [
      { kind: 'nft', index: 5, ...sent, asset: ASSET, value: value.hex },
      `{"event_index":5,"event_type":"non_fungible_token_asset","tx_id":"${TX}","asset":{"asset_event_type":"transfer","asset_id":"${ASSET}","sender":"${WHO}","recipient":"${WHO}.pox","value":${JSON.stringify(value)}}}`,
    ],
  ],
};

for (const [kind, events] of Object.entries(shown)) {
  test(`an event of kind ${kind} has the recorded members in their order, and its schema takes it`, () => {
    for (const [event, text] of events) {
      assert.equal(JSON.stringify(eventV1(TX, event)), text);
      assert.ok(Value.Check(EventSchemaV1, eventV1(TX, event)), text);
    }
  });
}
