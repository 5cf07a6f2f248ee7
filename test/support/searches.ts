import assert from 'node:assert/strict';
import type { Database } from '../../src/base/store/database.ts';
import { type BuiltBlock, ChainBuilder } from './chain-builder.ts';
import { openTestIndex, type TestIndex } from './test-index.ts';
import type { BuiltTx } from './transaction-builder.ts';

/** An index in an empty database, and a builder of the chain that is delivered to it. */
export async function openSearch(database: Database) {
  const index = await openTestIndex(database);
  const chain = new ChainBuilder();
  /** A block on another, delivered. */
  const mine = async (parent: BuiltBlock | undefined, ...txs: BuiltTx[]): Promise<BuiltBlock> => {
    const block = chain.block({ ...(parent && { parent }), txs });
    await index.deliver(block.delivery);
    return block;
  };
  return { index, chain, mine };
}

/** Requests an id. */
export const find = (index: TestIndex, id: string, withMetadata = false) =>
  index.get(`/extended/v1/search/${encodeURIComponent(id)}${withMetadata ? '?include_metadata=true' : ''}`);

/** What was found, without metadata. Compared as text, so that the order of the keys counts. */
export async function assertFound(index: TestIndex, id: string, result: object, withMetadata = false): Promise<void> {
  const { status, body, headers } = await find(index, id, withMetadata);
  const { metadata, ...rest } = body.result;
  assert.equal(JSON.stringify({ found: body.found, result: rest }), JSON.stringify({ found: true, result }));
  assert.deepEqual([status, metadata !== undefined, headers['cache-control']], [200, withMetadata, 'no-store']);
}

/** Nothing has this id, which is of this kind. */
export async function assertMissed(index: TestIndex, id: string, type: string, withMetadata = false): Promise<void> {
  const { status, body } = await find(index, id, withMetadata);
  assert.deepEqual([status, body.found, body.result], [404, false, { entity_type: type }]);
}

/** The metadata of what is found. */
export const metadata = async (index: TestIndex, id: string) => (await find(index, id, true)).body.result.metadata;

const placeIn = (block: BuiltBlock, canonical: boolean) => ({
  canonical,
  block_hash: block.hash,
  burn_block_time: block.burn.time,
  block_height: block.height,
});

/** A transaction in a block. */
export const inBlock = ({ txId }: BuiltTx, block: BuiltBlock, canonical = true, type = 'token_transfer') => ({
  entity_id: txId,
  entity_type: 'tx_id',
  tx_data: { ...placeIn(block, canonical), tx_type: type },
});

/** A transaction that waits for a block, or was dropped. */
export const inMempool = ({ txId }: BuiltTx, type = 'token_transfer') => ({
  entity_id: txId,
  entity_type: 'mempool_tx_id',
  tx_data: { tx_type: type },
});

export const blockFound = (block: BuiltBlock, canonical = true) => ({
  entity_id: block.hash,
  entity_type: 'block_hash',
  block_data: {
    canonical,
    hash: block.hash,
    parent_block_hash: block.body.parent_block_hash,
    burn_block_time: block.burn.time,
    height: block.height,
  },
});

/** A contract that a block has. */
export const contractIn = (id: string, tx: BuiltTx, block: BuiltBlock, canonical = true) => ({
  entity_id: id,
  entity_type: 'contract_address',
  tx_data: { tx_type: 'smart_contract', tx_id: tx.txId, ...placeIn(block, canonical) },
});

/** A contract that waits for a block. */
export const pendingContract = (id: string, tx: BuiltTx) => ({
  entity_id: id,
  entity_type: 'contract_address',
  tx_data: { tx_type: 'smart_contract', tx_id: tx.txId },
});

export const addressFound = (address: string) => ({ entity_id: address, entity_type: 'standard_address' });
