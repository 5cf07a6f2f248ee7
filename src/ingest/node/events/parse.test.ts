import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  h20,
  h32,
  sampleAttachment,
  sampleBlock,
  sampleBodies,
  sampleBurnBlock,
  sampleDrop,
  sampleEvent,
  sampleMicroblocks,
  sampleTransaction,
  toBytes,
} from '../../../../test/support/event-bodies.ts';
import fc from '../../../../test/support/fast-check.ts';
import { readArchive } from '../archive/read.ts';
import type { NewBlock } from './block.ts';
import { defaultEventLimits } from './json.ts';
import { checkEvent, type NodeEvent, parseEvent } from './parse.ts';

function accepted(path: string, body: unknown): NodeEvent {
  const result = parseEvent(path, toBytes(body));
  assert.ok(result.ok, result.ok ? '' : result.error.message);
  return result.value;
}

function acceptedBlock(body: unknown): NewBlock {
  const event = accepted('/new_block', body);
  assert.equal(event.path, '/new_block');
  return event.path === '/new_block' ? event.block : assert.fail();
}

function refusal(path: string, body: unknown): string {
  const result = parseEvent(path, toBytes(body));
  assert.ok(!result.ok, 'should have been refused');
  return result.error.message;
}

const withTransaction = (changes: object) => ({ ...sampleBlock, transactions: [{ ...sampleTransaction, ...changes }] });
const withEvent = (changes: object) => ({ ...sampleBlock, events: [{ ...sampleEvent, ...changes }] });
const without = (body: object, name: string) => ({ ...body, [name]: undefined });

describe('what a node sends is accepted', () => {
  for (const [path, body] of Object.entries(sampleBodies)) {
    it(`a good body of ${path} is accepted`, () => {
      assert.equal(accepted(path, body).path, path);
    });
  }

  it('every row of the sample chain is accepted', async () => {
    const file = new URL('../../../../examples/sample-chain.tsv.gz', import.meta.url).pathname;
    const paths = new Set<string>();
    for await (const row of readArchive(file)) {
      assert.equal(row.kind, 'event');
      if (row.kind !== 'event') continue;
      const result = parseEvent(row.path, row.body);
      assert.ok(result.ok, result.ok ? '' : `${row.line}: ${result.error.message}`);
      paths.add(result.value.path);
    }
    assert.deepEqual([...paths].sort(), Object.keys(sampleBodies).sort());
  });

  it('a path that is only acknowledged, or unknown, is not looked into', () => {
    for (const path of [
      '/stackerdb_chunks',
      '/proposal_response',
      '/mined_nakamoto_block',
      '/new',
      '/constructor',
      '/',
    ]) {
      assert.deepEqual(parseEvent(path, Buffer.from('{not json')), {
        ok: true,
        value: { path: 'acknowledged', original: path },
      });
    }
  });
});

describe('differences between nodes are levelled', () => {
  it('fields that older nodes do not send are null', () => {
    const block = acceptedBlock(sampleBlock);
    assert.equal(block.anchored_cost, null);
    assert.equal(block.block_time, null);
    assert.equal(block.signer_signature, null);
    assert.equal(block.reward_set, null);
    const event = accepted('/drop_mempool_tx', without(sampleDrop, 'new_txid'));
    assert.equal(event.path === '/drop_mempool_tx' && event.drop.new_txid, null);
  });

  it('contract_abi of older nodes is read as contract_interface', () => {
    const abi = { functions: [], maps: [] };
    const old = { ...without(sampleTransaction, 'contract_interface'), contract_abi: abi };
    const [tx] = acceptedBlock({ ...sampleBlock, transactions: [old] }).transactions;
    assert.deepEqual(tx?.contract_interface, abi);
    assert.ok(tx && !('contract_abi' in tx));
  });

  it('the block height of an attachment may be a decimal string', () => {
    const event = accepted('/attachments/new', [{ ...sampleAttachment, block_height: '12345' }]);
    assert.equal(event.path === '/attachments/new' && event.attachments[0]?.block_height, 12345);
  });

  it('the unlock height of a lock becomes a number, its missing contract null', () => {
    const stx_lock_event = { locked_amount: '5', unlock_height: '670250', locked_address: 'ST1' };
    const [event] = acceptedBlock(withEvent({ type: 'stx_lock_event', stx_lock_event })).events;
    assert.deepEqual(event?.type === 'stx_lock_event' && event.stx_lock_event, {
      locked_address: 'ST1',
      locked_amount: '5',
      unlock_height: 670250,
      contract_identifier: null,
    });
  });

  it('hashes come out in lower case', () => {
    const upper = `0x${'AB'.repeat(32)}`;
    assert.equal(acceptedBlock({ ...sampleBlock, block_hash: upper }).block_hash, `0x${'ab'.repeat(32)}`);
    const [tx] = acceptedBlock(withTransaction({ raw_tx: '0xABcd' })).transactions;
    assert.equal(tx?.raw_tx, '0xabcd');
  });

  it('signer fields keep the form of the wire, hex without 0x', () => {
    const signer = {
      signing_key: `02${'c'.repeat(64)}`,
      weight: 3,
      stacked_amt: '340282366920938463463374607431768211455',
    };
    const block = acceptedBlock({
      ...sampleBlock,
      signer_bitvec: '0006000000013f',
      signer_signature: ['00'.repeat(65)],
      reward_set: { rewarded_addresses: [], signers: [signer], pox_ustx_threshold: null },
      cycle_number: 12,
    });
    assert.equal(block.signer_bitvec, '0006000000013f');
    assert.deepEqual(block.signer_signature, ['00'.repeat(65)]);
    assert.deepEqual(block.reward_set, { signers: [signer], pox_ustx_threshold: null });
  });

  it('an event keeps raw_value and loses the decoded value', () => {
    const contract_event = { contract_identifier: 'ST1.c', topic: 'print', raw_value: '0x03', value: { Bool: true } };
    const [event] = acceptedBlock(withEvent({ type: 'contract_event', contract_event })).events;
    assert.deepEqual(event, {
      txid: sampleEvent.txid,
      event_index: 0,
      committed: true,
      type: 'contract_event',
      contract_event: { contract_identifier: 'ST1.c', topic: 'print', raw_value: '0x03' },
    });
  });
});

describe('what is new or strange does not stop the node', () => {
  it('an unknown type of event is kept without its payload', () => {
    for (const type of ['burn_everything_event', 'constructor', '__proto__']) {
      const [event] = acceptedBlock(withEvent({ type, [type]: { x: 1 } })).events;
      assert.deepEqual(event, { txid: sampleEvent.txid, event_index: 0, committed: true, type: 'unknown' });
    }
  });

  it('an unknown Bitcoin operation keeps its name', () => {
    const [tx] = acceptedBlock(
      withTransaction({ burnchain_op: { register_asset: { asset_type: 'ft' } } }),
    ).transactions;
    assert.deepEqual(tx?.burnchain_op, { type: 'unknown', name: 'register_asset' });
  });

  it('an unknown status and an unknown drop reason are accepted', () => {
    acceptedBlock(withTransaction({ status: 'abort_by_moon_phase' }));
    accepted('/drop_mempool_tx', { ...sampleDrop, reason: 'Whatever' });
  });

  it('a raw transaction that does not decode is accepted', () => {
    acceptedBlock(withTransaction({ raw_tx: '0xffffff' }));
  });

  it('NUL and broken UTF-8 in strings are accepted', () => {
    const [tx] = acceptedBlock(withTransaction({ vm_error: 'a\u0000b' })).transactions;
    assert.equal(tx?.vm_error, 'a\u0000b');

    const marked = Buffer.from(toBytes(withTransaction({ vm_error: 'X' })));
    marked[marked.indexOf('"X"') + 1] = 0xff;
    assert.ok(parseEvent('/new_block', marked).ok);
  });
});

describe('Bitcoin operations keep amounts that a double cannot hold', () => {
  const max = '340282366920938463463374607431768211455';
  const sender = { address: 'ST1', address_version: 26, address_hash_bytes: h20('a') };
  const stack_stx = {
    burn_block_height: 10,
    burn_header_hash: 'b'.repeat(64),
    burn_txid: 'c'.repeat(64),
    vtxindex: 2,
    sender,
    stacked_ustx: '@',
    num_cycles: 3,
    reward_addr: 'bc1q',
    signer_key: `02${'d'.repeat(64)}`,
    max_amount: '@',
    auth_id: 7,
  };
  const bytesWith = (op: object, number: string): Uint8Array =>
    Buffer.from(JSON.stringify(withTransaction({ burnchain_op: op })).replaceAll('"@"', number));

  it('as decimal strings, exact up to 2^128 - 1', () => {
    for (const number of [max, '9007199254740993', '12']) {
      const result = parseEvent('/new_block', bytesWith({ stack_stx }, number));
      assert.ok(result.ok && result.value.path === '/new_block');
      assert.deepEqual(result.value.block.transactions[0]?.burnchain_op, {
        type: 'stack_stx',
        stack_stx: { ...stack_stx, stacked_ustx: number, max_amount: number, auth_id: '7' },
      });
    }
  });

  it('an amount longer than any of the chain is refused, and costs nothing', () => {
    const result = parseEvent('/new_block', bytesWith({ stack_stx }, '9'.repeat(200_000)));
    assert.ok(!result.ok);
    assert.match(
      result.error.message,
      /^transactions\[0\]\.burnchain_op\.stack_stx\.stacked_ustx must be a decimal string/,
    );
  });

  it('the other operations are read with their fields', () => {
    const base = { burn_block_height: null, burn_header_hash: null, burn_txid: null, vtxindex: null };
    const operations = {
      transfer_stx: { ...base, sender, recipient: sender, transfered_ustx: '5', memo: '0x00' },
      delegate_stx: {
        ...base,
        sender,
        delegate_to: sender,
        delegated_ustx: '6',
        reward_addr: [1, 'bc1q'],
        until_burn_height: null,
      },
      vote_for_aggregate_key: {
        ...base,
        sender,
        aggregate_key: `02${'d'.repeat(64)}`,
        signer_key: `02${'e'.repeat(64)}`,
        signer_index: 1,
        round: 2,
        reward_cycle: 3,
      },
      pre_stx: { ...base, output: sender },
    };
    for (const [type, fields] of Object.entries(operations)) {
      const [tx] = acceptedBlock(withTransaction({ burnchain_op: { [type]: fields } })).transactions;
      assert.deepEqual(tx?.burnchain_op, { type, [type]: fields });
    }
  });
});

describe('a refusal names the field', () => {
  const cases: readonly (readonly [path: string, body: unknown, message: string])[] = [
    ['/new_block', [], 'body must be an object'],
    ['/new_block', 'text', 'body must be an object'],
    ['/new_block', null, 'body must be an object'],
    ['/new_block', without(sampleBlock, 'block_hash'), 'block_hash must be 0x-prefixed hex of 32 bytes; it is missing'],
    [
      '/new_block',
      { ...sampleBlock, block_hash: '0x12' },
      'block_hash must be 0x-prefixed hex of 32 bytes; it is "0x12"',
    ],
    [
      '/new_block',
      { ...sampleBlock, parent_index_block_hash: sampleBlock.index_block_hash },
      `parent_index_block_hash must be different from index_block_hash; it is "${sampleBlock.index_block_hash}"`,
    ],
    [
      '/new_burn_block',
      { ...sampleBurnBlock, parent_burn_block_hash: sampleBurnBlock.burn_block_hash },
      `parent_burn_block_hash must be different from burn_block_hash; it is "${sampleBurnBlock.burn_block_hash}"`,
    ],
    [
      '/new_block',
      { ...sampleBlock, block_height: -1 },
      'block_height must be a non-negative integer below 2^53; it is -1',
    ],
    [
      '/new_block',
      { ...sampleBlock, block_height: 1.5 },
      'block_height must be a non-negative integer below 2^53; it is 1.5',
    ],
    [
      '/new_block',
      { ...sampleBlock, block_height: 2 ** 53 },
      'block_height must be a non-negative integer below 2^53; it is 9007199254740992',
    ],
    [
      '/new_block',
      { ...sampleBlock, block_height: '7' },
      'block_height must be a non-negative integer below 2^53; it is "7"',
    ],
    ['/new_block', { ...sampleBlock, transactions: {} }, 'transactions must be an array'],
    ['/new_block', { ...sampleBlock, transactions: [7] }, 'transactions[0] must be an object; it is 7'],
    [
      '/new_block',
      { ...sampleBlock, transactions: [sampleTransaction, { ...sampleTransaction, raw_tx: '8080' }] },
      'transactions[1].raw_tx must be 0x-prefixed hex; it is "8080"',
    ],
    [
      '/new_block',
      withTransaction({ raw_tx: '0x808' }),
      'transactions[0].raw_tx must be 0x-prefixed hex; it is "0x808"',
    ],
    [
      '/new_block',
      withTransaction({ raw_tx: '0x80zz' }),
      'transactions[0].raw_tx must be 0x-prefixed hex; it is "0x80zz"',
    ],
    [
      '/new_block',
      withTransaction({ microblock_hash: h32('c') }),
      'transactions[0] must be a transaction with all three microblock fields or none',
    ],
    [
      '/new_block',
      withTransaction({ burnchain_op: {} }),
      'transactions[0].burnchain_op must be an object with one field',
    ],
    [
      '/new_block',
      { ...sampleBlock, events: [{ ...sampleEvent, txid: 5 }] },
      'events[0].txid must be 0x-prefixed hex of 32 bytes; it is 5',
    ],
    ['/new_block', withEvent({ committed: 1 }), 'events[0].committed must be true or false; it is 1'],
    [
      '/new_block',
      withEvent({ stx_transfer_event: undefined }),
      'events[0].stx_transfer_event must be an object; it is missing',
    ],
    [
      '/new_block',
      withEvent({ stx_transfer_event: { ...sampleEvent.stx_transfer_event, amount: '-1' } }),
      'events[0].stx_transfer_event.amount must be a decimal string of at most 39 digits; it is "-1"',
    ],
    [
      '/new_block',
      withEvent({ stx_transfer_event: { ...sampleEvent.stx_transfer_event, sender: 'S\u0000' } }),
      'events[0].stx_transfer_event.sender must be 1 to 200 characters of printable ASCII; it is "S\\u0000"',
    ],
    [
      '/new_block',
      { ...sampleBlock, signer_signature: ['00'] },
      'signer_signature[0] must be hex of 65 bytes; it is "00"',
    ],
    [
      '/new_burn_block',
      { ...sampleBurnBlock, reward_recipients: [{ recipient: 'm', amt: '1' }] },
      'reward_recipients[0].amt must be a non-negative integer below 2^53; it is "1"',
    ],
    ['/new_mempool_tx', {}, 'body must be an array'],
    ['/new_mempool_tx', ['0x80', 5], '[1] must be 0x-prefixed hex; it is 5'],
    [
      '/drop_mempool_tx',
      { ...sampleDrop, dropped_txids: ['0x'] },
      'dropped_txids[0] must be 0x-prefixed hex of 32 bytes; it is "0x"',
    ],
    ['/drop_mempool_tx', without(sampleDrop, 'reason'), 'reason must be a string; it is missing'],
    ['/new_microblocks', without(sampleMicroblocks, 'events'), 'events must be an array; it is missing'],
    [
      '/attachments/new',
      [{ ...sampleAttachment, block_height: '1e3' }],
      '[0].block_height must be a non-negative integer below 2^53; it is "1e3"',
    ],
  ];
  for (const [path, body, message] of cases) {
    it(`${path}: ${message}`, () => assert.equal(refusal(path, body), message));
  }
});

describe('hostile bodies cost little and never throw', () => {
  it('an empty, cut off or too large body is refused with its own code', () => {
    const code = (body: string, limits = defaultEventLimits) => {
      const result = parseEvent('/new_block', Buffer.from(body), limits);
      return result.ok ? 'accepted' : result.error.code;
    };
    assert.equal(code(''), 'body_empty');
    assert.equal(code('{"block_hash":"0x'), 'body_not_json');
    assert.equal(code(JSON.stringify(sampleBlock), { ...defaultEventLimits, maxBodyBytes: 100 }), 'body_too_large');
  });

  it('nesting is limited at exactly the limit, and brackets in strings do not count', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    const code = (body: Uint8Array) => {
      const result = parseEvent('/new_mempool_tx', body);
      return result.ok ? 'accepted' : result.error.code;
    };
    assert.equal(code(nested(512)), 'field_invalid');
    assert.equal(code(nested(513)), 'body_too_deep');
    assert.equal(code(nested(100_000)), 'body_too_deep');
    acceptedBlock(withTransaction({ vm_error: `\\"${'['.repeat(600)}` }));
  });

  it('any bytes and any JSON give a result', () => {
    const path = fc.constantFrom(...Object.keys(sampleBodies));
    const body = fc.oneof(
      fc.uint8Array(),
      fc.json().map(text => Buffer.from(text)),
      fc.tuple(fc.constantFrom(...Object.values(sampleBodies)), fc.nat(), fc.nat(255)).map(([sample, at, byte]) => {
        const bytes = Buffer.from(toBytes(sample));
        bytes[at % bytes.length] = byte;
        return bytes;
      }),
    );
    fc.assert(
      fc.property(path, body, (p, b) => typeof parseEvent(p, b).ok === 'boolean'),
      { numRuns: 500 },
    );
  });
});

describe('a body of more than 1 MB is parsed in pieces', () => {
  const events = Array.from({ length: 5_000 }, (_, event_index) => ({ ...sampleEvent, event_index }));
  const large = { ...sampleBlock, events };

  it('it is what it is in small bodies', () => {
    assert.ok(toBytes(large).length > 1_000_000);
    const block = acceptedBlock(large);
    assert.deepEqual(block, {
      ...acceptedBlock({ ...large, events: events.slice(0, 2_500) }),
      events: [events.slice(0, 2_500), events.slice(2_500)].flatMap(
        half => acceptedBlock({ ...large, events: half }).events,
      ),
    });
  });

  it('a check keeps none of its events', () => {
    const checked = checkEvent('/new_block', toBytes(large), defaultEventLimits);
    assert.ok(checked.ok && checked.value.path === '/new_block');
    const { block } = checked.value;
    assert.deepEqual(block, { ...acceptedBlock(sampleBlock), events: [] });
  });

  it('a check of a small body parses it as a whole, which is quicker', () => {
    const checked = checkEvent('/new_block', toBytes({ ...large, events: events.slice(0, 50) }));
    assert.ok(checked.ok && checked.value.path === '/new_block');
    assert.equal(checked.value.block.events.length, 50, 'events are left out where the body was divided');
  });

  for (const [what, changed, message] of [
    [
      'a field',
      { ...large, events: events.with(4_321, { ...sampleEvent, event_index: -1 }) },
      /^events\[4321\]\.event_index must be/,
    ],
    ['the nesting', { ...large, deep: JSON.parse('['.repeat(600) + ']'.repeat(600)) }, /nested deeper than 512/],
  ] as const)
    it(`a refusal names the same: ${what}`, () => {
      assert.match(refusal('/new_block', changed), message);
      const checked = checkEvent('/new_block', toBytes(changed), defaultEventLimits);
      assert.ok(!checked.ok && message.test(checked.error.message));
    });

  it('one that was cut off is no JSON', () => {
    const cut = parseEvent('/new_block', toBytes(large).subarray(0, -2));
    assert.ok(!cut.ok && cut.error.code === 'body_not_json');
  });
});
