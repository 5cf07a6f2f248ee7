import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import fc from '../../../test/support/fast-check.ts';
import { type BuiltTx, sha } from '../../../test/support/transaction-builder.ts';
import { bytes, filled, standardAuth, u64, wireTransaction } from '../../../test/support/wire-transaction.ts';
import { toHex } from '../../base/lib/hex.ts';
import type { Delivery } from '../journal/entries.ts';
import { type NodeEvent, parseEvent } from '../node/events/parse.ts';
import { otherNetwork, witnessIn } from './witness.ts';

const [MAINNET, TESTNET, CUSTOM] = [1, 0x80000000, 0x12345678];

function eventOf({ path, body }: Delivery): NodeEvent {
  const event = parseEvent(path, body);
  assert.ok(event.ok);
  return event.value;
}

function blockOf(txs: readonly BuiltTx[]) {
  const event = eventOf(new ChainBuilder('block').block({ txs }).delivery);
  assert.ok(event.path === '/new_block');
  return event.block;
}

let made = 0;
const transferOn = (chainId: number): BuiltTx => new ChainBuilder(`transfer ${made++}`, chainId).transfer();

/** A transaction of the boot address, as the boot block has them: any chain id. */
function bootTransaction(chainId: number): BuiltTx {
  const condition = bytes(0x00, filled(20, 0), u64(0), u64(0), 0x00, filled(65, 0));
  const raw = wireTransaction({ version: 0x80, chainId, auth: standardAuth(condition) });
  const { body } = transferOn(chainId);
  return { txId: sha(raw), body: { ...body, txid: sha(raw), raw_tx: toHex(raw) }, events: [] };
}

const bitcoinOperation = (): BuiltTx => {
  const { body, ...rest } = transferOn(MAINNET);
  return { ...rest, body: { ...body, raw_tx: '0x00' } };
};

const underAnotherId = (): BuiltTx => {
  const { body, ...rest } = transferOn(MAINNET);
  return { ...rest, body: { ...body, raw_tx: transferOn(TESTNET).body.raw_tx } };
};

describe('what is a witness (docs/spec/ingestion.md#network)', () => {
  for (const chainId of [MAINNET, TESTNET, CUSTOM])
    test(`a signed transaction in a block is, of chain ${chainId}`, () => {
      const tx = transferOn(chainId);
      assert.deepEqual(witnessIn(blockOf([tx])), { chainId, txId: tx.txId });
    });

  const others: [string, BuiltTx][] = [
    ['a transaction with chain id 0', transferOn(0)],
    ['a transaction of the boot address, with chain id 0', bootTransaction(0)],
    ['a transaction of the boot address, with another chain id', bootTransaction(MAINNET)],
    ['an operation from Bitcoin', bitcoinOperation()],
    ['bytes of which the id is another one', underAnotherId()],
  ];
  for (const [what, tx] of others)
    test(`${what} is none`, () => {
      assert.equal(witnessIn(blockOf([tx])), undefined);
      const next = transferOn(TESTNET);
      assert.equal(witnessIn(blockOf([tx, next]))?.txId, next.txId, 'one behind it is');
    });

  test('a transaction in a microblock is none', () => {
    const chain = new ChainBuilder('microblocks', MAINNET);
    const parent = chain.block();
    const microblocks = chain.microblocks(parent, [[chain.transfer()]]);
    const event = eventOf(chain.block({ parent, txs: [], microblocks }).delivery);
    assert.ok(event.path === '/new_block');
    assert.equal(event.block.transactions.length, 1);
    assert.equal(witnessIn(event.block), undefined);
    assert.equal(otherNetwork(event, TESTNET), undefined);
    assert.equal(otherNetwork(eventOf(chain.stream(parent, microblocks)), TESTNET), undefined);
  });
});

/** Any transactions of a block, with the chain that each is a witness of. */
const transactions = fc.array(
  fc.oneof(
    fc
      .constantFrom(MAINNET, TESTNET, CUSTOM)
      .map(chainId => ({ tx: transferOn(chainId), witness: chainId as number | undefined })),
    fc.constantFrom(transferOn, bootTransaction).map(make => ({ tx: make(0), witness: undefined })),
    fc.constantFrom(bitcoinOperation, underAnotherId).map(make => ({ tx: make(), witness: undefined })),
  ),
  { maxLength: 6 },
);

test('an index refuses a block exactly if one of its witnesses is of another chain', () => {
  fc.assert(
    fc.property(transactions, fc.constantFrom(MAINNET, TESTNET, CUSTOM, 7), (txs, chainId) => {
      const witnesses = txs.flatMap(({ witness }) => witness ?? []);
      const event: NodeEvent = { path: '/new_block', block: blockOf(txs.map(({ tx }) => tx)) };
      const refused = otherNetwork(event, chainId);
      assert.equal(
        refused !== undefined,
        witnesses.some(other => other !== chainId),
      );
      assert.equal(refused?.code, refused && 'wrong_network');
      assert.equal(witnessIn(event.block)?.chainId, witnesses[0]);
    }),
  );
});

test('a pending transaction is refused if it was signed for another chain, and the hint names its --chain-id', () => {
  const rawOf = (tx: BuiltTx) => tx.body.raw_tx as string;
  const pending = (...txs: BuiltTx[]): NodeEvent => ({ path: '/new_mempool_tx', rawTxs: txs.map(rawOf) });
  const refused = otherNetwork(pending(transferOn(TESTNET), transferOn(MAINNET)), TESTNET);
  assert.match(refused?.message ?? '', /a pending transaction is of chain 0x00000001, not of 0x80000000/);
  assert.match(refused?.hint ?? '', /--chain-id 0x00000001/);
  assert.equal(otherNetwork(pending(transferOn(TESTNET), transferOn(0)), TESTNET), undefined);
});
