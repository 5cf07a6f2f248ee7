import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder, repeated } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import {
  bns2Operation,
  moved,
  Names,
  namespaceReady,
  operation,
  print,
  tokenHex,
  txt,
  zoneFile,
} from '../../../../test/support/sample-names.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { UNLIMITED } from '../../../../test/support/unlimited.ts';
import { encodeClarityBuffer, encodeClaritySome } from '../../../base/codec/index.ts';
import { namesOwnedBy } from './owned-names.ts';

const [ALICE, BOB, CAROL] = [2, 3, 4];

onSqliteAtLeast((_engine, openFresh) => {
  test('a name that version 2 has is decided there; a name is known by its print, its holder by NFT events', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const names = new Names(chain);
    let top = chain.block();
    await index.deliver(top.delivery);
    const then = async (tx: BuiltTx, parent = top) => {
      top = chain.block({ parent, txs: [tx] });
      await index.deliver(top.delivery);
    };
    const shown = (versions: 'v1' | 'v1+v2' = 'v1+v2') =>
      Promise.all(
        [ALICE, BOB, CAROL].map(account =>
          database.read(queries => namesOwnedBy(queries, accountAddress(account), versions, UNLIMITED)),
        ),
      );
    const name = 'alice.btc';
    await then(names.register(name, ALICE));
    assert.deepEqual(await shown(), [[name], [], []]);
    await then(names.with(...bns2Operation(1, name, null, ALICE, 'new-airdrop')));
    const airdropped = top;
    assert.deepEqual(await shown(), [[name], [], []]);
    await then(names.with(...bns2Operation(1, name, ALICE, BOB, 'transfer-name')));
    assert.deepEqual(await shown(), [[], [name], []]);
    await then(names.transfer(name, ALICE, CAROL));
    assert.deepEqual(await shown(), [[], [name], []]);
    assert.deepEqual(await shown('v1'), [[], [], [name]]);
    await then(names.with(...bns2Operation(1, name, BOB, null, 'burn-name')));
    assert.deepEqual(await shown(), [[], [], []]);
    await then(names.with(...bns2Operation(2, 'unknown.btc', null, ALICE)));
    assert.deepEqual(await shown(), [[], [], []]);
    await then(names.with(...bns2Operation(2, 'late.btc', null, null, 'renew-name')));
    assert.deepEqual(await shown(), [['late.btc'], [], []]);
    await then(names.with(...bns2Operation(2, 'other.btc', null, null, 'renew-name')));
    assert.deepEqual(await shown(), [['late.btc'], [], []], 'the first name of a token counts');
    const fork = chain.chain(7, airdropped);
    await index.deliver(...fork.map(block => block.delivery));
    assert.deepEqual(await shown(), [[name], [], []]);
  });
});

onSqliteAtLeast((_engine, openFresh) => {
  /** An index with a chain of one block below the test's deliveries. */
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const first = chain.block();
    await index.deliver(first.delivery);
    let top = first;
    return {
      index,
      chain,
      names: new Names(chain),
      first,
      /** The next block on the tip, delivered. */
      mine: async (...txs: BuiltTx[]): Promise<BuiltBlock> => {
        top = chain.block({ parent: top, txs });
        await index.deliver(top.delivery);
        return top;
      },
      owned: (account: number) => ownedBy(index, account),
    };
  };

  test('a registered name belongs to the holder of its NFT', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    assert.deepEqual(await owned(ALICE), ['alice.sim']);
    assert.deepEqual(await owned(BOB), []);
  });

  test('an imported name belongs to whom its NFT was minted, not to who imported it', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.with(moved(tokenHex('old.sim'), null, BOB), operation('name-import', 'old.sim', ALICE)));
    assert.deepEqual(await owned(ALICE), []);
    assert.deepEqual(await owned(BOB), ['old.sim']);
  });

  test('a transfer moves a name, also twice within one block', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    await mine(names.transfer('alice.sim', ALICE, BOB));
    assert.deepEqual([await owned(ALICE), await owned(BOB)], [[], ['alice.sim']]);
    await mine(names.transfer('alice.sim', BOB, ALICE), names.transfer('alice.sim', ALICE, CAROL));
    assert.deepEqual([await owned(ALICE), await owned(BOB), await owned(CAROL)], [[], [], ['alice.sim']]);
  });

  test('as of each block, names, owners, zone files and subdomains are those that an index without later blocks has', async t => {
    const { index, names, mine } = await open(t);
    const paths = [
      ...[ALICE, BOB].map(account => `/v1/addresses/stacks/${accountAddress(account)}?`),
      `/extended/v3/names?principal=${accountAddress(ALICE)},${accountAddress(BOB)}&`,
      ...['', '/alice.sim', '/alice.sim/zonefile', '/alice.sim/subdomains', '/bob.btc'].map(
        path => `/v1/names${path}?`,
      ),
      ...['', '/sim/names', '/btc/names'].map(path => `/v1/namespaces${path}?`),
    ];
    const read = async (at = '') => {
      const responses = [];
      for (const path of paths) {
        const { status, body } = await index.get(`${path}${at}`);
        responses.push({ path, status, body });
      }
      return responses;
    };
    const update = names.update('alice.sim', ALICE);
    const steps = [
      [names.register('alice.sim', ALICE)],
      [update],
      [names.with(...bns2Operation(1, 'bob.btc', null, BOB, 'new-name')), names.transfer('alice.sim', ALICE, BOB)],
      [names.with(...bns2Operation(1, 'bob.btc', BOB, ALICE, 'transfer-name')), names.revoke('alice.sim', BOB)],
      [
        names.with(...bns2Operation(1, 'bob.btc', ALICE, null, 'burn-name')),
        names.registerAgain('alice.sim', BOB, ALICE),
      ],
    ];
    const seen = [];
    for (const txs of steps) {
      const block = await mine(...txs);
      if (txs.includes(update)) await index.deliver(zoneFile(block, update, 'alice.sim', txt('sub', BOB)));
      seen.push({ height: block.height, responses: await read() });
    }
    for (const { height, responses } of seen)
      assert.deepEqual(await read(`at=${height}`), responses, `as of ${height}`);
    assert.equal(new Set(seen.map(({ responses }) => JSON.stringify(responses))).size, steps.length);
  });

  test('an update changes nobody, whoever sent it', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    await mine(names.update('alice.sim', BOB));
    assert.deepEqual([await owned(ALICE), await owned(BOB)], [['alice.sim'], []]);
  });

  test('a revoked name is nobody’s until it is registered again', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    await mine(names.revoke('alice.sim', ALICE));
    assert.deepEqual(await owned(ALICE), []);
    await mine(names.registerAgain('alice.sim', ALICE, BOB));
    assert.deepEqual([await owned(ALICE), await owned(BOB)], [[], ['alice.sim']]);
  });

  test('a name whose NFT was burned is nobody’s', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    await mine(names.with(moved(tokenHex('alice.sim'), ALICE, null)));
    assert.deepEqual(await owned(ALICE), []);
  });

  test('an NFT of another collection with the value of a name says nothing about it', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    const other = `${accountAddress(9)}.names::names`;
    await mine(
      names.with(moved(tokenHex('alice.sim'), null, BOB, other), moved(tokenHex('bob.sim'), null, BOB, other)),
    );
    assert.deepEqual([await owned(ALICE), await owned(BOB)], [['alice.sim'], []]);
  });

  test('an NFT alone makes no name; a renewal that prints nothing does', async t => {
    const { names, mine, owned } = await open(t);
    await mine(names.with(moved(tokenHex('alice.sim'), null, ALICE)));
    assert.deepEqual(await owned(ALICE), []);
    const hash = encodeClaritySome(encodeClarityBuffer(new Uint8Array(20)));
    await mine(
      names.renewal('alice.sim', undefined, 'abort_by_response'),
      names.renewal('alice.sim', hash), // its print carries the renewal, so the call alone changes nothing
      names.renewal('alice.sim', undefined, 'success', 1),
    );
    assert.deepEqual(await owned(ALICE), []);
    await mine(names.renewal('alice.sim'));
    assert.deepEqual(await owned(ALICE), ['alice.sim']);
  });

  test('a renewal without a zone file keeps the one that was', async t => {
    const { index, names, mine } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    await mine(names.renewal('alice.sim'));
    const [row] = (await index.dump()).names ?? [];
    assert.deepEqual([row?.status, row?.height, row?.zonefile_hash], ['name-renewal', 3, `0x${'01'.repeat(20)}`]);
  });

  test('a name without a zone file has an empty one; a revoked or an unknown name, or a hash, has none', async t => {
    const { index, names, mine } = await open(t);
    await mine(names.register('alice.sim', ALICE));
    const zoneFile = async (rest: string) => {
      const { status, body } = await index.get(`/v1/names/${rest}`);
      return status === 200 ? body : status;
    };
    assert.deepEqual(await zoneFile('alice.sim/zonefile'), { zonefile: '' });
    assert.equal(await zoneFile(`alice.sim/zonefile/${'01'.repeat(20)}`), 404);
    assert.equal(await zoneFile('bob.sim/zonefile'), 404);
    assert.equal(await zoneFile('www.alice.sim/zonefile'), 404);
    await mine(names.with(operation('name-revoke', 'alice.sim', ALICE)));
    assert.equal(await zoneFile('alice.sim/zonefile'), 404);
  });

  test('names of block 1 without an NFT belong to who is named there, until an NFT event says otherwise', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const names = new Names(chain);
    const first = chain.block({ txs: [names.with(operation('name-register', 'imported.btc', ALICE))] });
    const second = chain.block({
      parent: first,
      txs: [names.update('imported.btc', BOB), names.update('late.btc', BOB)],
    });
    await index.deliver(first.delivery, second.delivery);
    assert.deepEqual([await ownedBy(index, ALICE), await ownedBy(index, BOB)], [['imported.btc'], []]);
    const third = chain.block({ parent: second, txs: [names.transfer('imported.btc', ALICE, BOB)] });
    await index.deliver(third.delivery);
    assert.deepEqual([await ownedBy(index, ALICE), await ownedBy(index, BOB)], [[], ['imported.btc']]);
  });

  test('a namespace that is launched is kept with its lifetime, however large', async t => {
    const { index, names, mine } = await open(t);
    const largest = 2n ** 128n - 1n;
    await mine(names.with(namespaceReady('sim', 4000), namespaceReady('long', largest)));
    const rows = (await index.dump()).namespaces ?? [];
    const found = rows.map(row => [Buffer.from(row.namespace as Uint8Array).toString(), row.lifetime, row.ready_at]);
    assert.deepEqual(found, [
      ['long', String(largest), 2],
      ['sim', '4000', 2],
    ]);
  });

  test('a name registered, and a transfer made, only on a losing branch are gone, and back after it wins again', async t => {
    const { index, chain, names, first, owned } = await open(t);
    const base = chain.block({
      parent: first,
      txs: [names.register('alice.sim', ALICE), names.register('gone.sim', CAROL)],
    });
    const loser = chain.block({
      parent: base,
      txs: [names.register('lost.sim', BOB), names.transfer('alice.sim', ALICE, BOB), names.revoke('gone.sim', CAROL)],
    });
    const winner = chain.chain(2, base);
    await index.deliver(base.delivery);
    const before = (await index.dump()).names;
    await index.deliver(loser.delivery);
    assert.deepEqual([await owned(ALICE), await owned(BOB), await owned(CAROL)], [[], ['alice.sim', 'lost.sim'], []]);
    await index.deliver(...winner.map(block => block.delivery));
    assert.deepEqual([await owned(ALICE), await owned(BOB), await owned(CAROL)], [['alice.sim'], [], ['gone.sim']]);
    assert.deepEqual((await index.dump()).names, before);
    await index.deliver(...chain.chain(2, loser).map(block => block.delivery));
    assert.deepEqual([await owned(ALICE), await owned(BOB), await owned(CAROL)], [[], ['alice.sim', 'lost.sim'], []]);
  });

  test('what an unanchored microblock says counts at once, and no more when no block accepts it', async t => {
    const { index, chain, names, first, owned } = await open(t);
    const [microblock] = chain.microblocks(first, [[names.register('alice.sim', ALICE)]]);
    assert.ok(microblock);
    await index.deliver(chain.stream(first, [microblock]));
    assert.deepEqual(await owned(ALICE), ['alice.sim']);
    const [without, accepting] = [
      chain.block({ parent: first }),
      chain.block({ parent: first, microblocks: [microblock] }),
    ];
    await index.deliver(without.delivery);
    assert.deepEqual(await owned(ALICE), []);
    await index.deliver(accepting.delivery, chain.block({ parent: accepting }).delivery);
    assert.deepEqual(await owned(ALICE), ['alice.sim']);
  });

  test('events that are no names stop nothing', async t => {
    const { index, names, mine, owned } = await open(t);
    const long = `${'a'.repeat(3000)}.sim`;
    await mine(
      names.with(
        moved('0x', null, BOB),
        moved('0x0c00', null, BOB),
        moved('0x01', null, BOB),
        print(Uint8Array.of(0x0c)),
      ),
      names.with(moved(tokenHex(long), null, BOB), operation('name-register', long, BOB)),
      names.register('\0\0.sim', BOB),
      names.register('é\u{1f600}.sim', BOB),
    );
    assert.deepEqual(await owned(BOB), ['.sim', 'é\u{1f600}.sim']);
    assert.equal((await index.state()).tip?.height, 2);
  });

  test('the sequence of the specification: imported, registered, subdomain, transfer, revocations', async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const names = new Names(chain);
    const both = async () => [await ownedBy(index, ALICE), await ownedBy(index, BOB)];
    let top: BuiltBlock | undefined;
    const mine = async (...txs: BuiltTx[]): Promise<BuiltBlock> => {
      top = chain.block({ ...(top && { parent: top }), txs });
      await index.deliver(top.delivery);
      return top;
    };
    await mine(names.with(operation('name-register', 'imported.btc', ALICE)));
    await mine(names.register('test-name.btc', ALICE), names.register('id.blockstack', CAROL));
    assert.deepEqual(await both(), [['imported.btc', 'test-name.btc'], []]);
    const update = names.update('id.blockstack', CAROL);
    await index.deliver(zoneFile(await mine(update), update, 'id.blockstack', txt('address_test', ALICE)));
    assert.deepEqual(await both(), [['address_test.id.blockstack', 'imported.btc', 'test-name.btc'], []]);
    await mine(names.transfer('test-name.btc', ALICE, BOB));
    assert.deepEqual(await both(), [['address_test.id.blockstack', 'imported.btc'], ['test-name.btc']]);
    await mine(names.revoke('imported.btc', ALICE), names.revoke('id.blockstack', CAROL));
    assert.deepEqual(await both(), [[], ['test-name.btc']]);
    await mine(names.registerAgain('id.blockstack', CAROL, CAROL));
    assert.deepEqual(await both(), [['address_test.id.blockstack'], ['test-name.btc']]);
  });

  test('a zone file may come before its block and again after it', async t => {
    const { index, chain, names, first, owned } = await open(t);
    const update = names.update('id.sim', CAROL);
    const block = chain.block({ parent: first, txs: [names.register('id.sim', CAROL), update] });
    const file = zoneFile(block, update, 'id.sim', txt('sub', ALICE));
    await index.deliver(file);
    assert.deepEqual(await owned(ALICE), []);
    await index.deliver(block.delivery);
    assert.deepEqual(await owned(ALICE), ['sub.id.sim']);
    const { subdomains } = await index.dump();
    await index.deliver(repeated(file));
    assert.deepEqual((await index.dump()).subdomains, subdomains);
  });

  test('a zone file of a losing branch counts when that branch wins, whenever it came', async t => {
    const { index, chain, names, first, owned } = await open(t);
    const base = chain.block({ parent: first, txs: [names.register('id.sim', CAROL)] });
    const [early, late] = [names.update('id.sim', CAROL), names.update('id.sim', CAROL)];
    const loser = chain.block({ parent: base, txs: [early, late] });
    await index.deliver(base.delivery, loser.delivery, zoneFile(loser, early, 'id.sim', txt('early', ALICE)));
    assert.deepEqual(await owned(ALICE), ['early.id.sim']);
    await index.deliver(...chain.chain(2, base).map(block => block.delivery));
    await index.deliver(zoneFile(loser, late, 'id.sim', txt('late', ALICE)));
    assert.deepEqual(await owned(ALICE), []);
    await index.deliver(...chain.chain(2, loser).map(block => block.delivery));
    assert.deepEqual(await owned(ALICE), ['early.id.sim', 'late.id.sim']);
  });

  test('a subdomain belongs to whom the newest zone file of the canonical chain names, in whatever order they come', async t => {
    const { index, chain, names, first, owned } = await open(t);
    const both = async () => [await owned(ALICE), await owned(BOB)];
    const [one, two, three] = [
      names.update('id.sim', CAROL),
      names.update('id.sim', CAROL),
      names.update('id.sim', CAROL),
    ];
    const base = chain.block({ parent: first, txs: [names.register('id.sim', CAROL), one, two] });
    const loser = chain.block({ parent: base, txs: [three] });
    await index.deliver(base.delivery, loser.delivery);
    await index.deliver(zoneFile(base, two, 'id.sim', txt('sub', BOB), { index: 8 }));
    await index.deliver(zoneFile(base, one, 'id.sim', txt('sub', ALICE), { index: 7 }));
    assert.deepEqual(await both(), [[], ['sub.id.sim']]);
    // Numbers of different branches do not compare; the height decides first.
    await index.deliver(zoneFile(loser, three, 'id.sim', txt('sub', ALICE), { index: 2 }));
    assert.deepEqual(await both(), [['sub.id.sim'], []]);
    await index.deliver(...chain.chain(2, base).map(block => block.delivery));
    assert.deepEqual(await both(), [[], ['sub.id.sim']]);
  });

  test('only zone files of updates, and only of BNS, make subdomains', async t => {
    const { index, names, mine, owned } = await open(t);
    const tx = names.register('id.sim', CAROL);
    const block = await mine(tx);
    await index.deliver(
      zoneFile(block, tx, 'id.sim', txt('a', ALICE), { op: 'name-register' }),
      zoneFile(block, tx, 'id.sim', txt('b', ALICE), { contract: `${accountAddress(9)}.bns` }),
      zoneFile(block, tx, 'id.sim', ''),
      zoneFile(block, tx, 'id.sim', Buffer.alloc(1024 * 1024 + 1, txt('c', ALICE))),
      zoneFile(block, tx, 'id.sim', Uint8Array.of(0xff, 0xfe, 0, 0x80)),
    );
    assert.deepEqual(await owned(ALICE), []);
    const largest = Buffer.alloc(1024 * 1024, '\n');
    largest.write(txt('d', ALICE));
    await index.deliver(zoneFile(block, tx, 'id.sim', largest));
    assert.deepEqual(await owned(ALICE), ['d.id.sim']);
  });

  test('a subdomain of a name that nobody registered is not shown', async t => {
    const { index, names, mine, owned } = await open(t);
    const tx = names.with();
    await index.deliver(zoneFile(await mine(tx), tx, 'id.sim', txt('sub', ALICE)));
    assert.deepEqual(await owned(ALICE), []);
  });

  test('labels and owners of any bytes and of the greatest length go into the index', async t => {
    const { index, names, mine } = await open(t);
    const tx = names.update('id.sim', CAROL);
    const name = `${'\u{1f600}'.repeat(12)}.${'é'.repeat(10)}`;
    const block = await mine(names.register(name, CAROL), tx);
    const [label, owner] = ['\uffff'.repeat(250), '\ud7ff'.repeat(250)];
    await index.deliver(zoneFile(block, tx, name, Buffer.from(`${label} TXT "owner=${owner}"`)));
    assert.equal((await index.dump()).subdomains?.length, 1);
  });
});

async function ownedBy(index: TestIndex, account: number): Promise<readonly string[]> {
  const { status, body } = await index.get(`/v1/addresses/stacks/${accountAddress(account)}`);
  assert.equal(status, 200);
  return body.names;
}
