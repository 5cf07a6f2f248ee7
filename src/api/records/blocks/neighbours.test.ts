import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';

const START = 1_700_000_000;

/** Heights of the blocks of a page, and its total. */
async function heights(index: TestIndex, path: string): Promise<[total: number, ...heights: number[]] | number> {
  const { status, body } = await index.get(`/extended/v2/${path}`);
  return status === 200 ? [body.total, ...body.results.map(({ height }: { height: number }) => height)] : status;
}

/** A chain of tenures of these lengths, each on a burn block of its own, a block every ten seconds. */
function tenures(chain: ChainBuilder, lengths: readonly number[]): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (const [i, length] of lengths.entries()) {
    const below = blocks.at(-1);
    const burn = chain.burnBlock(below && { parent: below.burn });
    for (let n = 0; n < length; n++) {
      const parent = blocks.at(-1);
      const fields = { tenure_height: i + 1, block_time: START + blocks.length * 10, signer_bitvec: '00040000000105' };
      blocks.push(chain.block({ ...(parent && { parent }), burn, fields }));
    }
  }
  return blocks;
}

onSqliteAtLeast((_engine, openFresh) => {
  test('burn blocks are listed newest first with their blocks, and counted; a fork takes them back', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = tenures(chain, [2, 1, 3]);
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    const hashes = blocks.map(({ hash }) => hash);
    const page = async (query = '') => {
      const { body } = await index.get(`/extended/v2/burn-blocks${query}`);
      return [body.total, ...body.results.map(({ stacks_blocks }: { stacks_blocks: string[] }) => stacks_blocks)];
    };
    const all = [[hashes[5], hashes[4], hashes[3]], [hashes[2]], [hashes[1], hashes[0]]];
    assert.deepEqual(await page(), [3, ...all]);
    assert.deepEqual(await page('?limit=1&offset=2'), [3, all[2]]);
    assert.deepEqual(await page('?limit=0'), [3]);
    assert.deepEqual(await page('?offset=3'), [3]);
    const { body } = await index.get('/extended/v2/burn-blocks?limit=1');
    assert.deepEqual(body.results[0], (await index.get(`/extended/v2/burn-blocks/${blocks[5]?.burn.hash}`)).body);
    const other = chain.chain(5, blocks[1]);
    await index.deliver(...other.map(({ delivery }) => delivery));
    assert.deepEqual(await page('?limit=2'), [6, [other[4]?.hash], [other[3]?.hash]]);
  });

  test('the blocks of a burn block are its canonical ones, and it is unknown only when no fork has it', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const blocks = tenures(chain, [2, 3, 1]);
    const burn = blocks[3]?.burn;
    const lost = chain.block({ ...(blocks[1] && { parent: blocks[1] }) });
    await index.deliver(...[...blocks, lost].map(({ delivery }) => delivery));
    for (const id of [burn?.hash, burn?.hash.slice(2).toUpperCase(), burn?.height])
      assert.deepEqual(await heights(index, `burn-blocks/${id}/blocks`), [3, 5, 4, 3]);
    assert.deepEqual(await heights(index, `burn-blocks/${burn?.hash}/blocks?limit=1&offset=1`), [3, 4]);
    assert.deepEqual(await heights(index, `burn-blocks/${burn?.hash}/blocks?offset=9`), [3]);
    assert.deepEqual(await heights(index, 'burn-blocks/latest/blocks'), [1, 6]);
    assert.deepEqual(await heights(index, `burn-blocks/${lost.burn.hash}/blocks`), [0]);
    assert.equal(await heights(index, 'burn-blocks/5/blocks'), 404);
  });

  test('a tenure lists its blocks from its newest one, or from a cursor that is in it', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const blocks = tenures(new ChainBuilder(), [2, 4, 1]);
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    const [, , third, , fifth] = blocks;
    const list = (query: string) => heights(index, `block-tenures/2/blocks${query}`);
    assert.deepEqual(await list(''), [4, 6, 5, 4, 3]);
    assert.deepEqual(await list('?limit=2&offset=1'), [4, 5, 4]);
    assert.deepEqual(await list('?limit=2&offset=-1'), [4]);
    assert.deepEqual(await list(`?cursor=${fifth?.indexHash}&limit=9`), [4, 5, 4, 3]);
    assert.deepEqual(await list(`?cursor=${fifth?.indexHash}&offset=-1&limit=1`), [4, 6]);
    assert.deepEqual(await list(`?cursor=${fifth?.indexHash}&offset=3`), [4]);
    assert.deepEqual(await list(`?cursor=${fifth?.indexHash}&offset=-3`), [4]);
    const near = await index.get(`/extended/v2/block-tenures/2/blocks?limit=2&cursor=${fifth?.indexHash}`);
    assert.equal(near.body.next_cursor, blocks[5]?.indexHash, 'the newest, as one block alone is newer');
    assert.equal(await list(`?cursor=${blocks[0]?.indexHash}`), 404);
    const { body } = await index.get('/extended/v2/block-tenures/2/blocks?limit=2&offset=2');
    assert.deepEqual(
      [body.cursor, body.prev_cursor, body.next_cursor],
      [blocks[3]?.indexHash, null, blocks[5]?.indexHash],
    );
    const { body: first } = await index.get('/extended/v2/block-tenures/2/blocks?limit=3');
    assert.deepEqual([first.prev_cursor, first.next_cursor], [third?.indexHash, null]);
    assert.deepEqual(await heights(index, 'block-tenures/9/blocks'), [0]);
    assert.deepEqual(await heights(index, 'block-tenures/0/blocks'), [0]);
  });

  test('a time shows the newest block of then, and none before the first', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    await index.deliver(...tenures(new ChainBuilder(), [3]).map(({ delivery }) => delivery));
    const heightAt = async (time: number) => {
      const { status, body } = await index.get(`/extended/v2/blocks/by-block-time/${time}`);
      return status === 200 ? body.height : status;
    };
    assert.equal(await heightAt(START - 1), 404);
    assert.equal(await heightAt(START), 1);
    assert.equal(await heightAt(START + 19), 2);
    assert.equal(await heightAt(START + 9999), 3);
  });

  test('average times are those of the blocks that are as old as a window at most, the first with its distance', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const [DAY, end] = [86_400, START + 100 * 86_400];
    const times = [end - 40 * DAY, end - 29 * DAY, end - 6 * DAY, end - DAY / 2, end - 600, end - 360, end];
    const blocks: BuiltBlock[] = [];
    for (const block_time of times) {
      const parent = blocks.at(-1);
      blocks.push(chain.block({ ...(parent && { parent }), fields: { block_time } }));
    }
    const averages = async () => (await index.get('/extended/v2/blocks/average-times')).body;
    assert.deepEqual(await averages(), { last_1h: 0, last_24h: 0, last_7d: 0, last_30d: 0 });
    await index.deliver(...blocks.map(({ delivery }) => delivery));
    assert.deepEqual(await averages(), {
      last_1h: DAY / 2 / 3,
      last_24h: (6 * DAY) / 4,
      last_7d: (29 * DAY) / 5,
      last_30d: (29 * DAY) / 5,
    });
  });
  test('the signatures of a block are listed in their order; none for what is not known, not signed or orphaned', async t => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    const signed = [0xab, 0x01, 0xcd].map(byte => Buffer.alloc(65, byte).toString('hex'));
    const first = chain.block({ fields: { signer_signature: signed } });
    const lost = chain.block({ parent: first, fields: { signer_signature: signed } });
    const blocks = chain.chain(2, first);
    await index.deliver(...[first, lost, ...blocks].map(({ delivery }) => delivery));
    const shown = async (path: string) => {
      const { status, body } = await index.get(`/extended/v2/blocks/${path}`);
      return [status, body.total, body.results];
    };
    const all = signed.map(signature => `0x${signature}`);
    for (const id of [1, first.hash, first.indexHash])
      assert.deepEqual(await shown(`${id}/signer-signatures`), [200, 3, all]);
    assert.deepEqual(await shown('1/signer-signatures?limit=1&offset=1'), [200, 3, all.slice(1, 2)]);
    assert.deepEqual(await shown('1/signer-signatures?limit=0'), [200, 3, []]);
    for (const id of ['latest', lost.indexHash, '77'])
      assert.deepEqual(await shown(`${id}/signer-signatures`), [200, 0, []]);
    assert.equal((await shown('-1/signer-signatures'))[0], 400);
  });
});
