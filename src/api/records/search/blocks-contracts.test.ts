import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BOOT_INDEX_HASH } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { announced, deployOf, dropped } from '../../../../test/support/pending-transactions.ts';
import { reusedDatabase } from '../../../../test/support/reused-database.ts';
import { sampleDeploy } from '../../../../test/support/sample-contracts.ts';
import {
  assertFound,
  assertMissed,
  blockFound,
  contractIn,
  metadata,
  openSearch,
  pendingContract,
} from '../../../../test/support/searches.ts';
import { accountAddress } from '../../../../test/support/transaction-builder.ts';

const ZERO_HASH = `0x${'00'.repeat(32)}`;
const PAYER = accountAddress(9);

onSqliteAtLeast((_engine, openFresh) => {
  const emptied = reusedDatabase(openFresh);
  const open = async () => openSearch(await emptied());

  describe('blocks', () => {
    test('a block is found by its block hash, its index block hash and its height, and its metadata is that of the older form', async () => {
      const { index, chain, mine } = await open();
      const tip = await mine(undefined, chain.coinbase());
      const microblocks = chain.microblocks(tip, [[chain.transfer()]]);
      await index.deliver(tip.burn.delivery, chain.stream(tip, microblocks));
      for (const id of [tip.hash, tip.indexHash, tip.indexHash.slice(2), '1', '01']) {
        for (const withMetadata of [false, true]) await assertFound(index, id, blockFound(tip), withMetadata);
      }
      for (const height of ['0', '2', '9'.repeat(40)]) await assertMissed(index, height, 'invalid_term');
      const { body } = await index.get(`/extended/v1/block/by_burn_block_hash/${tip.burn.hash}`);
      assert.deepEqual(await metadata(index, tip.hash), body);
      const others = [tip.burn.hash, microblocks[0]?.hash ?? '', ZERO_HASH, BOOT_INDEX_HASH];
      for (const hash of others) {
        for (const withMetadata of [false, true]) await assertMissed(index, hash, 'unknown_hash', withMetadata);
      }
    });

    test('an orphaned block is found as not canonical, with and without metadata, and canonical when its fork wins', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const losing = await mine(first, chain.coinbase(), chain.transfer());
      await mine(await mine(first));
      for (const withMetadata of [false, true])
        for (const id of [losing.hash, losing.indexHash])
          await assertFound(index, id, blockFound(losing, false), withMetadata);
      const { canonical, txs, hash } = await metadata(index, losing.hash);
      const ids = losing.txs.map(({ txId }) => txId).reverse();
      assert.deepEqual({ canonical, txs, hash }, { canonical: false, txs: ids, hash: losing.hash });
      await mine(await mine(losing));
      await assertFound(index, losing.hash, blockFound(losing));
    });

    test('of blocks that share a hash the canonical one comes first', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const canonical = await mine(first, chain.coinbase());
      const twin = chain.block({ parent: first, fields: { block_hash: canonical.hash } });
      await index.deliver(twin.delivery);
      await assertFound(index, canonical.hash, blockFound(canonical));
      await mine(twin);
      await assertFound(index, twin.hash, blockFound(twin));
    });
  });

  describe('contracts', () => {
    const id = `${PAYER}.vault`;

    test('a contract is found by its deployment, also by one that failed', async () => {
      const { index, chain, mine } = await open();
      const [good, failed] = [chain.deploy('vault', 'run'), sampleDeploy(chain, 'broken')];
      const block = await mine(undefined, good, failed);
      for (const withMetadata of [false, true]) {
        await assertFound(index, id, contractIn(id, good, block), withMetadata);
        await assertFound(index, `${PAYER}.broken`, contractIn(`${PAYER}.broken`, failed, block), withMetadata);
      }
      assert.equal((await metadata(index, id)).smart_contract.contract_id, id);
      assert.equal((await metadata(index, `${PAYER}.broken`)).tx_status, 'abort_by_response');
    });

    test('a deployment that waits is found, and comes before one that a block has', async () => {
      const { index, chain, mine } = await open();
      const mined = chain.deploy('vault', 'run');
      const block = await mine(undefined, mined);
      const waiting = deployOf('vault', 'run', { nonce: 900 });
      await index.deliver(announced(waiting));
      for (const withMetadata of [false, true])
        await assertFound(index, id, pendingContract(id, waiting), withMetadata);
      assert.equal((await metadata(index, id)).tx_status, 'pending');
      await index.deliver(dropped('StaleGarbageCollect', [waiting]));
      await assertFound(index, id, contractIn(id, mined, block));
    });

    test('a contract that only an orphaned block has is found there once its deployment does not wait any more', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const deploy = chain.deploy('vault', 'run');
      const losing = await mine(first, deploy);
      const before = await metadata(index, id);
      const winning = await mine(await mine(first));
      await assertFound(index, id, pendingContract(id, deploy));
      await index.deliver(dropped('StaleGarbageCollect', [deploy]));
      for (const withMetadata of [false, true])
        await assertFound(index, id, contractIn(id, deploy, losing, false), withMetadata);
      assert.equal(JSON.stringify(await metadata(index, id)), JSON.stringify({ ...before, canonical: false }));
      await mine(await mine(losing));
      await assertFound(index, id, contractIn(id, deploy, losing));
      assert.equal(winning.height, 3);
    });

    test('a contract of a block that was never applied is found there, with what became of the deployment', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      await mine(first);
      const source = '(print "\\u{0} é \u{1f600}")\n';
      const deploy = sampleDeploy(chain, 'vault', { functions: [], source, clarityVersion: 3 });
      const side = await mine(first, chain.coinbase(), deploy);
      for (const withMetadata of [false, true])
        await assertFound(index, id, contractIn(id, deploy, side, false), withMetadata);
      const record = await metadata(index, id);
      assert.deepEqual([record.canonical, record.tx_index, record.tx_status], [false, 1, 'success']);
      assert.deepEqual(record.smart_contract, { clarity_version: 3, contract_id: id, source_code: source });
      await mine(await mine(side));
      assert.equal(JSON.stringify(await metadata(index, id)), JSON.stringify({ ...record, canonical: true }));
    });

    test('of pending deployments of a contract the one received last is found', async () => {
      for (const swapped of [false, true]) {
        const { index } = await open();
        const both = [0, 1].map(nonce => deployOf('vault', 'run', { nonce }));
        const [early, late] = swapped ? both.toReversed() : both;
        assert.ok(early && late);
        await index.deliver(announced(early, late));
        await assertFound(index, id, pendingContract(id, late));
      }
    });

    test('of orphaned blocks of one height the first seen has the contract, and its transaction', async () => {
      for (const swapped of [false, true]) {
        const { index, chain, mine } = await open();
        const first = await mine(undefined, chain.coinbase());
        await mine(await mine(first));
        const deploy = deployOf('vault', 'run');
        const twins = [0, 1].map(() => chain.block({ parent: first, txs: [chain.coinbase(), deploy] }));
        const [seen, late] = swapped ? twins.toReversed() : twins;
        assert.ok(seen && late);
        await index.deliver(seen.delivery, late.delivery);
        for (const withMetadata of [false, true])
          await assertFound(index, id, contractIn(id, deploy, seen, false), withMetadata);
        const { body } = await index.get(`/extended/v1/search/${deploy.txId}`);
        assert.equal(body.result.tx_data.block_hash, seen.hash);
      }
    });

    test('a contract that a microblock on the tip deploys is found; that of an orphaned microblock only while it waits', async () => {
      const { index, chain, mine } = await open();
      const tip = await mine(undefined, chain.coinbase());
      const deploy = chain.deploy('vault', 'run');
      await index.deliver(chain.stream(tip, chain.microblocks(tip, [[deploy]])));
      const unanchored = { ...tip, hash: '0x', height: 2, burn: { ...tip.burn, time: -1 } };
      for (const withMetadata of [false, true])
        await assertFound(index, id, contractIn(id, deploy, unanchored), withMetadata);
      await mine(tip);
      await assertFound(index, id, pendingContract(id, deploy));
      await index.deliver(dropped('StaleGarbageCollect', [deploy]));
      for (const withMetadata of [false, true]) await assertMissed(index, id, 'contract_address', withMetadata);
    });

    test('a contract that is not deployed is found by what it received, with its balance; being called and a similar id do not make it known', async () => {
      const { index, chain, mine } = await open();
      const moved = { sender: PAYER, recipient: id, amount: '5' };
      const transfer = chain.transfer();
      const events = [{ txid: transfer.txId, committed: true, type: 'stx_transfer_event', stx_transfer_event: moved }];
      await mine(undefined, { ...transfer, events }, chain.call('called', 'run'), chain.deploy('vault-2', 'run'));
      const undeployed = { entity_id: id, entity_type: 'contract_address' };
      for (const withMetadata of [false, true]) await assertFound(index, id, undeployed, withMetadata);
      assert.equal((await metadata(index, id)).balance, '5');
      const similar = [`${PAYER}.VAULT-2`, `${PAYER}.vault-22`, `${PAYER}.called`];
      for (const other of similar) {
        for (const withMetadata of [false, true]) await assertMissed(index, other, 'contract_address', withMetadata);
      }
      await assertMissed(index, `${PAYER}.vault-2.more`, 'invalid_term', false);
    });
  });
});
