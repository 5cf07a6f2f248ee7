import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BOOT_INDEX_HASH, type BuiltBlock, ChainBuilder, delivery } from '../../../test/support/chain-builder.ts';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { announced, deployOf, dropped, transferOf } from '../../../test/support/pending-transactions.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { sampleDeploy } from '../../../test/support/sample-contracts.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';

const [PAYER, PAYEE, STRANGER] = [accountAddress(9), accountAddress(7), accountAddress(42)];
const ZERO_HASH = `0x${'00'.repeat(32)}`;

const find = (index: TestIndex, id: string, withMetadata = false) =>
  index.get(`/extended/v1/search/${encodeURIComponent(id)}${withMetadata ? '?include_metadata=true' : ''}`);

/** What was found, without metadata. Compared as text, so that the order of the keys counts. */
async function assertFound(index: TestIndex, id: string, result: object, withMetadata = false): Promise<void> {
  const { status, body, headers } = await find(index, id, withMetadata);
  const { metadata, ...rest } = body.result;
  assert.equal(JSON.stringify({ found: body.found, result: rest }), JSON.stringify({ found: true, result }));
  assert.deepEqual([status, metadata !== undefined, headers['cache-control']], [200, withMetadata, 'no-store']);
}

async function assertMissed(index: TestIndex, id: string, type: string, withMetadata = false): Promise<void> {
  const { status, body } = await find(index, id, withMetadata);
  assert.deepEqual([status, body.found, body.result], [404, false, { entity_type: type }]);
}

const metadata = async (index: TestIndex, id: string) => (await find(index, id, true)).body.result.metadata;

const placeIn = (block: BuiltBlock, canonical: boolean) => ({
  canonical,
  block_hash: block.hash,
  burn_block_time: block.burn.time,
  block_height: block.height,
});

/** A transaction in a block. */
const inBlock = ({ txId }: BuiltTx, block: BuiltBlock, canonical = true, type = 'token_transfer') => ({
  entity_id: txId,
  entity_type: 'tx_id',
  tx_data: { ...placeIn(block, canonical), tx_type: type },
});

const inMempool = ({ txId }: BuiltTx, type = 'token_transfer') => ({
  entity_id: txId,
  entity_type: 'mempool_tx_id',
  tx_data: { tx_type: type },
});

const blockFound = (block: BuiltBlock, canonical = true) => ({
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

const contractIn = (id: string, tx: BuiltTx, block: BuiltBlock, canonical = true) => ({
  entity_id: id,
  entity_type: 'contract_address',
  tx_data: { tx_type: 'smart_contract', tx_id: tx.txId, ...placeIn(block, canonical) },
});

const pendingContract = (id: string, tx: BuiltTx) => ({
  entity_id: id,
  entity_type: 'contract_address',
  tx_data: { tx_type: 'smart_contract', tx_id: tx.txId },
});

const addressFound = (address: string) => ({ entity_id: address, entity_type: 'standard_address' });

onEveryEngine((_engine, openFresh) => {
  const emptied = reusedDatabase(openFresh);
  const open = async () => {
    const index = await openTestIndex(await emptied());
    const chain = new ChainBuilder();
    /** A block on another, delivered. */
    const mine = async (parent: BuiltBlock | undefined, ...txs: BuiltTx[]): Promise<BuiltBlock> => {
      const block = chain.block({ ...(parent && { parent }), txs });
      await index.deliver(block.delivery);
      return block;
    };
    return { index, chain, mine };
  };

  describe('transactions', () => {
    test('a transaction is found by its id in every spelling, with white space around it', async () => {
      const { index, chain, mine } = await open();
      const tx = chain.transfer();
      const block = await mine(undefined, tx);
      const bare = tx.txId.slice(2);
      const spellings = [tx.txId, bare, bare.toUpperCase(), `0X${bare}`, `0X${bare.toUpperCase()}`];
      for (const id of [...spellings, ` ${bare}`, `\t${tx.txId}\n`, `\u{feff}${bare}\u{a0} `]) {
        for (const withMetadata of [false, true]) await assertFound(index, id, inBlock(tx, block), withMetadata);
      }
    });

    test('the metadata of a transaction is its record, as every list shows it', async () => {
      const { index, chain, mine } = await open();
      const block = await mine(undefined, sampleDeploy(chain, 'vault', { functions: [] }));
      const call = chain.call('vault', 'run');
      await mine(block, chain.coinbase(), call);
      const { body } = await index.get(`/extended/v1/tx`);
      for (const record of body.results) assert.deepEqual(await metadata(index, record.tx_id), record);
      assert.equal(body.results.length, 3);
    });

    test('a transaction that only a microblock on the tip has shows no block', async () => {
      const { index, chain, mine } = await open();
      const tip = await mine(undefined, chain.coinbase());
      const tx = chain.transfer();
      const microblocks = chain.microblocks(tip, [[tx]]);
      await index.deliver(chain.stream(tip, microblocks));
      const expected = inBlock(tx, { ...tip, hash: '0x', height: 2, burn: { ...tip.burn, time: -1 } });
      for (const withMetadata of [false, true]) await assertFound(index, tx.txId, expected, withMetadata);
      assert.equal((await metadata(index, tx.txId)).is_unanchored, true);
      const block = chain.block({ parent: tip, microblocks });
      await index.deliver(block.delivery);
      await assertFound(index, tx.txId, inBlock(tx, block));
    });

    test('a transaction that only an orphaned microblock had is found in the mempool', async () => {
      const { index, chain, mine } = await open();
      const tip = await mine(undefined, chain.coinbase());
      const tx = chain.transfer();
      await index.deliver(chain.stream(tip, chain.microblocks(tip, [[tx]])));
      await mine(tip, chain.coinbase());
      for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inMempool(tx), withMetadata);
      await index.deliver(dropped('StaleGarbageCollect', [tx]));
      await assertMissed(index, tx.txId, 'unknown_hash');
      await assertFound(index, tx.txId, inMempool(tx), true);
    });

    test('a pending transaction is found; once dropped, only with metadata; once mined, in its block', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const tx = transferOf();
      await index.deliver(announced(tx));
      for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inMempool(tx), withMetadata);
      assert.equal((await metadata(index, tx.txId)).tx_status, 'pending');
      await index.deliver(dropped('TooExpensive', [tx]));
      await assertMissed(index, tx.txId, 'unknown_hash');
      await assertFound(index, tx.txId, inMempool(tx), true);
      assert.equal((await metadata(index, tx.txId)).tx_status, 'dropped_too_expensive');
      const block = await mine(first, tx);
      for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inBlock(tx, block), withMetadata);
    });

    test('a transaction of an undone block is found there; with metadata in the mempool, where it is again', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const [tx, coinbase] = [chain.transfer(), chain.coinbase()];
      const losing = await mine(first, coinbase, tx);
      const winning = await mine(await mine(first));
      await assertFound(index, tx.txId, inBlock(tx, losing, false));
      await assertFound(index, coinbase.txId, inBlock(coinbase, losing, false, 'coinbase'));
      await assertFound(index, tx.txId, inMempool(tx), true);
      await index.deliver(dropped('Problematic', [tx]));
      await assertFound(index, tx.txId, inBlock(tx, losing, false));
      await assertFound(index, tx.txId, inMempool(tx), true);
      await mine(await mine(losing));
      for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inBlock(tx, losing), withMetadata);
      assert.equal(winning.height, 3);
    });

    test('a transaction of a block that was never applied is found there; with metadata, nowhere', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      await mine(first);
      const [late, waiting] = [chain.transfer(), chain.transfer()];
      const side = await mine(first, late); // as high as the tip, but later
      const gap = await mine(chain.block({ parent: side }), waiting); // its parent is missing
      await assertFound(index, late.txId, inBlock(late, side, false));
      await assertFound(index, waiting.txId, inBlock(waiting, gap, false));
      for (const { txId } of [late, waiting]) await assertMissed(index, txId, 'unknown_hash', true);
    });

    test('the canonical row comes before an orphaned one, whichever came first', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const tx = chain.transfer();
      const losing = await mine(first, tx);
      const winning = await mine(await mine(first), tx);
      await assertFound(index, tx.txId, inBlock(tx, winning));
      await mine(losing, tx); // the fork has it a second time, as high as the canonical one
      await assertFound(index, tx.txId, inBlock(tx, winning));
      await mine(await mine(losing, chain.coinbase()));
      for (const withMetadata of [false, true]) await assertFound(index, tx.txId, inBlock(tx, losing), withMetadata);
    });

    test('of orphaned blocks the highest is shown, of equally high ones the first', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const tip = await mine(await mine(await mine(first)));
      const tx = chain.transfer();
      const side = await mine(first, tx);
      await assertFound(index, tx.txId, inBlock(tx, side, false));
      const higher = await mine(side, tx);
      await mine(side, tx);
      await mine(first, tx);
      await assertFound(index, tx.txId, inBlock(tx, higher, false));
      assert.equal(tip.height, 4);
    });

    test('an orphaned operation that came from Bitcoin has its type, though its bytes do not tell', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const { body, ...rest } = chain.transfer();
      const operation = { ...rest, body: { ...body, raw_tx: '0x00' } };
      const losing = await mine(first, operation);
      await assertFound(index, operation.txId, inBlock(operation, losing));
      await mine(await mine(first));
      await assertFound(index, operation.txId, inBlock(operation, losing, false));
      await assertMissed(index, operation.txId, 'unknown_hash', true);
    });

    test('transactions of the boot block are found in block 1 and nowhere before', async () => {
      const { index, chain } = await open();
      const tx = chain.transfer();
      const boot = chain.bootBlock([tx]);
      const first = chain.block();
      await index.deliver(boot.delivery);
      await assertMissed(index, tx.txId, 'unknown_hash');
      await assertMissed(index, boot.hash, 'unknown_hash');
      await index.deliver(first.delivery);
      await assertFound(index, tx.txId, inBlock(tx, first));
      await assertMissed(index, boot.hash, 'unknown_hash');
    });

    test('what a search finds without metadata does not depend on the order of delivery', async () => {
      const chain = new ChainBuilder();
      const shared = chain.transfer();
      const first = chain.block();
      const losing = chain.block({ parent: first, txs: [shared, chain.transfer()] });
      const side = chain.block({ parent: first });
      const winning = chain.block({ parent: side, txs: [shared] });
      const blocks = [first, losing, side, winning];
      // The first block last: then all others wait for it.
      const orders = permutations(blocks.slice(1)).map((order, i) => (i % 2 ? [...order, first] : [first, ...order]));
      for (const order of orders) {
        const { index } = await open();
        await index.deliver(...order.map(block => block.delivery));
        await assertFound(index, shared.txId, inBlock(shared, winning));
        for (const tx of losing.txs.slice(1)) await assertFound(index, tx.txId, inBlock(tx, losing, false));
        for (const block of blocks) await assertFound(index, block.hash, blockFound(block, block !== losing));
      }
    });
  });

  describe('blocks', () => {
    test('a block is found by its block hash alone, and its metadata is that of the older form', async () => {
      const { index, chain, mine } = await open();
      const tip = await mine(undefined, chain.coinbase());
      const microblocks = chain.microblocks(tip, [[chain.transfer()]]);
      await index.deliver(tip.burn.delivery, chain.stream(tip, microblocks));
      for (const withMetadata of [false, true]) await assertFound(index, tip.hash, blockFound(tip), withMetadata);
      const { body } = await index.get(`/extended/v1/block/by_burn_block_hash/${tip.burn.hash}`);
      assert.deepEqual(await metadata(index, tip.hash), body);
      const others = [tip.indexHash, tip.burn.hash, microblocks[0]?.hash ?? '', ZERO_HASH, BOOT_INDEX_HASH];
      for (const hash of others) {
        for (const withMetadata of [false, true]) await assertMissed(index, hash, 'unknown_hash', withMetadata);
      }
    });

    test('an orphaned block is found as not canonical, with and without metadata, and canonical when its fork wins', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      const losing = await mine(first, chain.transfer());
      await mine(await mine(first));
      for (const withMetadata of [false, true])
        await assertFound(index, losing.hash, blockFound(losing, false), withMetadata);
      const { canonical, txs, hash } = await metadata(index, losing.hash);
      assert.deepEqual({ canonical, txs, hash }, { canonical: false, txs: [], hash: losing.hash });
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

    test('receiving, being called and a similar id do not make a contract known', async () => {
      const { index, chain, mine } = await open();
      const moved = { sender: PAYER, recipient: id, amount: '5' };
      const transfer = chain.transfer();
      const events = [{ txid: transfer.txId, committed: true, type: 'stx_transfer_event', stx_transfer_event: moved }];
      await mine(undefined, { ...transfer, events }, chain.call('vault', 'run'), chain.deploy('vault-2', 'run'));
      const similar = [`${PAYER}.vault-2.more`, `${PAYER.toLowerCase()}.vault-2`, `${PAYER}.VAULT-2`];
      for (const other of [id, ...similar]) {
        for (const withMetadata of [false, true]) await assertMissed(index, other, 'contract_address', withMetadata);
      }
    });
  });

  describe('addresses', () => {
    test('an address is found as sender or recipient of a transaction or of an event, and as nothing else', async () => {
      const { index, chain } = await open();
      const [minted, sponsor, rewarded] = [accountAddress(50), accountAddress(51), accountAddress(52)];
      const transfer = chain.transfer();
      const mint = { recipient: minted, amount: '5' };
      const events = [{ txid: transfer.txId, committed: true, type: 'stx_mint_event', stx_mint_event: mint }];
      const sponsored = transferOf({ from: 53, sponsor: { from: 51, nonce: 0 } }, 54);
      const reward = {
        from_index_consensus_hash: BOOT_INDEX_HASH,
        from_stacks_block_hash: BOOT_INDEX_HASH,
        recipient: rewarded,
        coinbase_amount: '7',
        tx_fees_anchored: '0',
        tx_fees_streamed_confirmed: '0',
        tx_fees_streamed_produced: '0',
      };
      const fields = { matured_miner_rewards: [reward] };
      await index.deliver(
        chain.block({ txs: [{ ...transfer, events }, sponsored], fields }).delivery,
        announced(transferOf({ from: 55 }, 56)),
      );
      for (const address of [PAYER, PAYEE, minted, accountAddress(53), accountAddress(54)]) {
        for (const withMetadata of [false, true])
          await assertFound(index, address, addressFound(address), withMetadata);
      }
      for (const address of [sponsor, rewarded, accountAddress(55), accountAddress(56), STRANGER]) {
        for (const withMetadata of [false, true]) await assertMissed(index, address, 'standard_address', withMetadata);
      }
    });

    test('the metadata of an address is its balance, then what pending transactions make of it', async () => {
      const { index, chain, mine } = await open();
      const first = chain.transfer({ amount: 10_000, fee: 100 });
      await mine(undefined, first);
      await index.deliver(
        announced(
          transferOf({ from: 7, nonce: 0, fee: 30 }, 9, 400),
          transferOf({ from: 9, nonce: 500, fee: 2n ** 60n }, 7, 25),
          transferOf({ from: 60, nonce: 3, fee: 11, sponsor: { from: 7, nonce: 9 } }, 7, 7),
        ),
      );
      const nothingLocked = {
        lock_tx_id: '',
        locked: '0',
        lock_height: 0,
        burnchain_lock_height: 0,
        burnchain_unlock_height: 0,
      };
      const payee = {
        balance: '10000',
        total_miner_rewards_received: '0',
        ...nothingLocked,
        total_sent: '0',
        total_received: '10000',
        total_fees_sent: '0',
        estimated_balance: String(10_000 + 25 + 7 - 400 - 30 - 11),
        pending_balance_inbound: '32',
        pending_balance_outbound: '441',
      };
      assert.equal(JSON.stringify(await metadata(index, PAYEE)), JSON.stringify(payee));
      const { balance, estimated_balance, pending_balance_outbound } = await metadata(index, PAYER);
      const outbound = 2n ** 60n + 25n;
      assert.deepEqual(
        { balance, estimated_balance, pending_balance_outbound },
        {
          balance: '-10100',
          estimated_balance: String(-10_100n + 400n - outbound),
          pending_balance_outbound: String(outbound),
        },
      );
    });

    test('an address that only an orphaned block names is found, with nothing on it', async () => {
      const { index, chain, mine } = await open();
      const first = await mine(undefined, chain.coinbase());
      await mine(first, chain.transfer({ from: 40, to: 41 }));
      await mine(await mine(first));
      await mine(first, chain.transfer({ from: 43, to: 44 }));
      for (const address of [40, 41, 43, 44].map(accountAddress)) {
        await assertFound(index, address, addressFound(address));
        const { balance, total_sent, total_received, total_fees_sent } = await metadata(index, address);
        assert.deepEqual([balance, total_sent, total_received, total_fees_sent], ['0', '0', '0', '0']);
      }
    });

    test('an address is looked up as it was written', async () => {
      const { index, mine, chain } = await open();
      await mine(undefined, chain.transfer());
      const spellings = [PAYEE.toLowerCase(), PAYEE.replaceAll('0', 'O')].filter(spelling => spelling !== PAYEE);
      for (const spelling of spellings) await assertMissed(index, spelling, 'standard_address');
      await assertFound(index, ` ${PAYEE} `, addressFound(PAYEE));
    });
  });

  describe('requests', () => {
    const miss = (entity_type: string, error: string) => ({ found: false, result: { entity_type }, error });

    test('every miss names the kind of id, and the term as it was given', async () => {
      const { index } = await open();
      const hex = 'CD'.repeat(32);
      const noTerm = (term: string) =>
        `The term "${term}" is not a valid block hash, transaction ID, contract principal, or account address principal`;
      const misses = [
        [hex, miss('unknown_hash', `No block or transaction found with hash "0x${hex.toLowerCase()}"`)],
        [` ${STRANGER} `, miss('standard_address', `No principal found with address "${STRANGER}"`)],
        [`${STRANGER}.a.b`, miss('contract_address', `No principal found with address "${STRANGER}.a.b"`)],
        [' a"b ', miss('invalid_term', noTerm('a"b'))],
        [' ', miss('invalid_term', noTerm(''))],
        ['1', miss('invalid_term', noTerm('1'))],
        ['é\u{1f600}%', miss('invalid_term', noTerm('é\u{1f600}%'))],
      ] as const;
      for (const [id, expected] of misses) {
        for (const withMetadata of [false, true]) {
          const { status, body, headers } = await find(index, id, withMetadata);
          assert.deepEqual([status, JSON.stringify(body)], [404, JSON.stringify(expected)]);
          assert.equal(headers['content-type'], 'application/json; charset=utf-8');
          assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined]);
        }
      }
    });

    test('include_metadata is true or false, once', async () => {
      const { index, chain, mine } = await open();
      const { hash } = await mine(undefined, chain.coinbase());
      const ask = (query: string) => index.get(`/extended/v1/search/${hash}${query}`);
      for (const query of [
        '',
        '?',
        '?include_metadata=false',
        '?INCLUDE_METADATA=true',
        '?include_metadata[]=true',
        '?other=1',
      ])
        assert.equal((await ask(query)).body.result.metadata, undefined, query);
      for (const value of ['', '=', '=1', '=TRUE', '=foo', '=true&include_metadata=true']) {
        const { status, body } = await ask(`?include_metadata${value}`);
        assert.deepEqual([status, body.message], [400, 'querystring/include_metadata must be boolean'], value);
      }
    });

    test('an id of any length and content is answered, and no id is no route', async () => {
      const { index } = await open();
      const ids = [
        'a'.repeat(250),
        `${STRANGER}.${'a'.repeat(128)}`,
        "' OR 1=1 --",
        '\u{feff}',
        '../..',
        '%',
        '\\u0000',
      ];
      for (const id of ids) assert.equal((await find(index, id)).status, 404, id);
      for (const [id, status] of [
        ['%00', 400],
        ['%ED%A0%80', 400],
        ['%zz', 400],
        ['a'.repeat(251), 414],
      ] as const)
        assert.equal((await index.get(`/extended/v1/search/${id}`)).status, status, id);
      for (const path of ['/extended/v1/search', '/extended/v1/search/']) {
        const { status, body } = await index.get(path);
        assert.deepEqual([status, body.message], [404, `Route GET:${path} not found`]);
      }
      assert.equal((await index.get('/extended/v1/search/1/')).body.result.entity_type, 'invalid_term');
    });

    test('hostile events leave a search answering', async () => {
      const { index, chain, mine } = await open();
      await index.deliver(delivery('/new_mempool_tx', ['0x', '0x00', `0x${'ff'.repeat(100)}`]));
      const { txId } = chain.transfer();
      const block = chain.block({
        txs: [{ txId, body: { ...chain.coinbase().body, txid: txId, raw_tx: '0xff' }, events: [] }],
      });
      await index.deliver(block.delivery);
      await assertMissed(index, txId, 'unknown_hash', true);
      await mine(block);
      await assertFound(index, block.hash, blockFound(block), true);
    });
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map(rest => [item, ...rest]));
}
