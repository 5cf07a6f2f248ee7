import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { sampleMove } from '../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';
import { encodeClarityUint } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';

const ASSETS = ['apes::ape', 'cats::cat', 'owls::owl'].map(name => `${accountAddress(9)}.${name}`);
const OWNERS = [2, 3, 4].map(accountAddress);
const TOKENS = 40;
const BLOCKS = 24;

/** The owner of each token; one that was never minted, or was burned, is missing. */
type Ledger = Map<string, string>;

/** What a block moves: some tokens from their owners, a few of them twice; now and then one is burned. */
function movesOf(ledger: Ledger, block: number) {
  return Array.from({ length: 12 }, (_, i) => {
    const n = block * 12 + i;
    const moved = block * 12 + (i % 8);
    const [asset = '', id] = [ASSETS[moved % ASSETS.length], (moved * 11) % TOKENS];
    const token = `${asset} ${id}`;
    const from = ledger.get(token) ?? null;
    const to = from !== null && n % 9 === 0 ? null : (OWNERS[((n * n) % 5) % OWNERS.length] ?? null);
    if (to === null) ledger.delete(token);
    else ledger.set(token, to);
    return { asset, value: toHex(encodeClarityUint(id)), from, to };
  });
}

onSqliteAtLeast((_engine, openFresh) => {
  /** @param known tokens that have owners before the first event about them, as names of the genesis of a chain have */
  async function testPages(t: Parameters<typeof openFresh>[0], known: Ledger, offsets: readonly number[]) {
    const open = async () => openTestIndex(await databaseWithTables(openFresh, t));
    const [whole, past] = [await open(), await open()];
    const chain = new ChainBuilder();
    const ledger = new Map(known);
    const blocks: BuiltBlock[] = [];
    for (let height = 1; height <= BLOCKS; height++) {
      const tx = chain.transfer();
      const events = movesOf(ledger, height).map(({ asset, value, from, to }, event_index) => ({
        ...{ txid: tx.txId, committed: true, event_index },
        ...sampleMove(asset, value, from, to),
      }));
      const parent = blocks.at(-1);
      blocks.push(chain.block({ ...(parent && { parent }), txs: [{ ...tx, events }] }));
    }
    await whole.deliver(...blocks.map(({ delivery }) => delivery));
    for (const [i, { delivery }] of blocks.entries()) {
      await past.deliver(delivery);
      if (i % 3 !== 0 && i < BLOCKS - 4) continue;
      for (const owner of OWNERS) {
        const held = `/extended/v1/tokens/nft/holdings?principal=${owner}`;
        const listed = `/extended/v3/principals/${owner}/balances/nft?limit=4`;
        const paths = [
          ...offsets.map(offset => `${held}&limit=5&offset=${offset}`),
          `${held}&limit=6&asset_identifiers=${ASSETS.slice(1).map(encodeURIComponent).join(',')}`,
          listed,
          `${listed}&cursor=${toHex(encodeClarityUint(20))}:${ASSETS[1]}`,
          `${listed}&asset_identifier=${ASSETS[1]}`,
        ];
        for (const path of paths) {
          const expected = await past.get(path);
          assert.equal(expected.status, 200, path);
          assert.deepEqual((await whole.get(`${path}&at=${i + 1}`)).body, expected.body, `${path}, as of ${i + 1}`);
        }
      }
    }
  }

  test('as of a block, pages of tokens and their number are those of an index that ends there', t =>
    testPages(t, new Map(), [0, 5, 17, 300]));

  test('they are, where owners had their first tokens by no event', t =>
    testPages(t, new Map(Array.from({ length: 15 }, (_, id) => [`${ASSETS[0]} ${id}`, OWNERS[id % 3] ?? ''])), [0, 3]));
});
