import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { seal } from '../../../test/support/nakamoto-bytes.ts';
import { referencePath, withoutReference } from '../../../test/support/reference-material.ts';
import { bytes, filled, singleSig, standardAuth, wireTransaction } from '../../../test/support/wire-transaction.ts';
import { hexBytes, toHex } from '../lib/hex.ts';
import { sha512_256, transactionId } from './hash.ts';
import { decodeNakamotoBlock, merkleRoot } from './nakamoto-block.ts';

const REPLIES = 'data/node-replay';

const transfers = (count: number) =>
  Array.from({ length: count }, (_, i) => wireTransaction({ auth: standardAuth(singleSig(0, i)) }));

const unsealed = (count: number) => ({
  height: 7,
  consensusHash: `0x${'ab'.repeat(20)}`,
  parentBlockId: `0x${'cd'.repeat(32)}`,
  time: 1_700_000_000,
  poxTreatment: '00040000000105',
  transactions: transfers(count),
  signers: [filled(32, 7), filled(32, 8)],
});

function decoded(raw: Uint8Array) {
  const block = decodeNakamotoBlock(raw);
  assert.ok(block.ok, block.ok ? '' : block.error.message);
  return block.value;
}

test('a block has the hashes, the signatures and the transactions of its bytes', async () => {
  for (const count of [1, 2, 3, 5, 8]) {
    const sealed = await seal(unsealed(count));
    const { header, transactions } = decoded(sealed.raw);
    assert.deepEqual(
      [header.blockHash, header.blockId, header.txMerkleRoot, header.stateIndexRoot, header.minerSignature],
      [sealed.blockHash, sealed.blockId, sealed.txMerkleRoot, sealed.stateIndexRoot, sealed.minerSignature],
    );
    assert.deepEqual(header.signerSignatures, sealed.signerSignatures);
    assert.deepEqual([header.height, header.timestamp, header.poxTreatment], [7, 1_700_000_000, '00040000000105']);
    assert.deepEqual(
      transactions.map(({ raw }) => toHex(raw)),
      unsealed(count).transactions.map(toHex),
    );
    assert.equal(merkleRoot(transactions.map(({ txId }) => txId)), header.txMerkleRoot);
  }
});

test('the hash of a block covers the list of skipped transactions from version 1 on, also an empty one', async () => {
  const [old, empty, marked] = await Promise.all([
    seal(unsealed(3)),
    seal({ ...unsealed(3), version: 1 }),
    seal({ ...unsealed(3), version: 1, skipped: [2] }),
  ]);
  for (const [sealed, skipped] of [
    [old, []],
    [empty, []],
    [marked, [2]],
  ] as const) {
    const { header } = decoded(sealed.raw);
    assert.deepEqual([header.blockHash, header.skipped], [sealed.blockHash, skipped]);
  }
});

test('bytes after the last transaction, versions that are not known and numbers that are too large are errors', async () => {
  const { raw } = await seal(unsealed(2));
  const at = (offset: number, byte: number) => Uint8Array.from(raw, (old, i) => (i === offset ? byte : old));
  for (const damaged of [bytes(raw, 0), at(0, 2), at(1, 0xff), raw.subarray(0, -1), new Uint8Array()])
    assert.equal(decodeNakamotoBlock(damaged).ok, false);
  assert.ok(decodeNakamotoBlock(at(0, 0x80)).ok, 'a shadow block');
});

test('replies of a real node have the ids, the Merkle root and the block id that their bytes give', {
  skip: withoutReference(REPLIES),
}, () => {
  const folder = referencePath(REPLIES);
  const files = readdirSync(folder).filter(name => name.endsWith('.json'));
  assert.equal(files.length, 22);
  for (const file of files) {
    const reply = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const ids = reply.transactions.map(({ hex }: { hex: string }) => transactionId(hexBytes(hex)));
    assert.deepEqual(
      ids,
      reply.transactions.map(({ txid }: { txid: string }) => `0x${txid}`),
      file,
    );
    assert.equal(merkleRoot(ids), `0x${reply.tx_merkle_root}`, file);
    const id = toHex(sha512_256(hexBytes(reply.block_hash), hexBytes(reply.consensus_hash)));
    assert.equal(id, `0x${reply.block_id}`, file);
  }
  const reply = JSON.parse(readFileSync(join(folder, 'coinbase.json'), 'utf8'));
  const { header, transactions } = decoded(readFileSync(join(folder, '5437107.block.bin')));
  assert.deepEqual(
    [
      header.blockId,
      header.parentBlockId,
      header.height,
      header.timestamp,
      header.stateIndexRoot,
      header.minerSignature,
    ],
    [
      ...[`0x${reply.block_id}`, `0x${reply.parent_block_id}`, reply.block_height, reply.timestamp],
      ...[`0x${reply.state_index_root}`, `0x${reply.miner_signature}`],
    ],
  );
  assert.deepEqual(
    transactions.map(({ raw }) => toHex(raw).slice(2)),
    reply.transactions.map(({ hex }: { hex: string }) => hex),
  );
});
