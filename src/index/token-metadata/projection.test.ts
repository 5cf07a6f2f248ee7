import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { sampleDeploy, sampleMove, samplePrint } from '../../../test/support/sample-contracts.ts';
import {
  type NotificationParts,
  notificationHex,
  sftMintHex,
  TOKEN_FUNCTIONS,
  tokenContractInterface,
  uintHex,
} from '../../../test/support/sample-tokens.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../test/support/transaction-builder.ts';
import { encodeClarityAscii, encodeClarityInt, encodeClarityTuple, encodeClarityUint } from '../../base/codec/index.ts';
import { toHex } from '../../base/lib/hex.ts';
import type { Row, SqlValue } from '../../base/store/database.ts';

const DEPLOYER = accountAddress(9);
const ALICE = accountAddress(2);
const [CATS, COIN, SEMI] = ['cats', 'coin', 'semi'].map(name => `${DEPLOYER}.${name}`) as [string, string, string];
const STANDARDS = { cats: 'sip-009', coin: 'sip-010', semi: 'sip-013' } as const;
const LARGEST = 2n ** 128n - 1n;

type Event = BuiltTx['events'][number];
const mintOf = (id: string, asset = `${CATS}::cat`): Event => sampleMove(asset, id, null, ALICE);
const mint = (id: bigint | number, asset?: string): Event => mintOf(uintHex(id), asset);
const notify = (parts: NotificationParts, emitter = CATS): Event =>
  samplePrint(emitter, notificationHex({ contractId: CATS, tokenClass: 'nft', ...parts }));

onSqliteAtLeast((_engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const deploy = (name: keyof typeof STANDARDS): BuiltTx =>
      sampleDeploy(chain, name, { contractInterface: tokenContractInterface(STANDARDS[name]) });
    /** A call of an account with these events. */
    const tx = (events: readonly Event[], options: { from?: number; status?: string } = {}): BuiltTx => {
      const { from = 8, status = 'success' } = options;
      const call = chain.call('cats', 'act', { from });
      const { txId } = call;
      return {
        ...call,
        body: { ...call.body, status },
        events: events.map(event => ({ txid: txId, committed: true, ...event })),
      };
    };
    const mine = async (parent: BuiltBlock | undefined, ...txs: BuiltTx[]): Promise<BuiltBlock> => {
      const block = chain.block({ ...(parent && { parent }), txs });
      await index.deliver(block.delivery);
      return block;
    };
    const rows = (sql: string): Promise<Row[]> => database.read(queries => queries.all(sql));
    const contracts = async () =>
      (await rows('SELECT contract_id, standard, ft_asset, nft_asset, mode, ttl FROM token_contracts')).map(values);
    const tokens = async (contract = CATS): Promise<SqlValue[]> =>
      (await rows('SELECT contract_id, token FROM tokens ORDER BY contract_id, token'))
        .filter(({ contract_id }) => contract_id === contract)
        .map(({ token }) => token ?? null);
    const modes = async () =>
      (await rows('SELECT token, mode, ttl FROM tokens WHERE mode IS NOT NULL ORDER BY token')).map(values);
    /** Kind and token of each event after the deployments, in chain order. */
    const news = async () =>
      (await rows(`SELECT kind, token, mode FROM token_events WHERE kind <> 'deploy' ORDER BY seq`)).map(
        ({ kind, token, mode }) => `${kind} ${token ?? 'all'}${mode === null ? '' : ` ${mode}`}`,
      );
    return { index, chain, database, deploy, tx, mine, rows, contracts, tokens, modes, news };
  };

  test('a deployed token contract is known, a fungible one with its only token', async t => {
    const { deploy, mine, contracts, tokens, rows } = await open(t);
    const block = await mine(undefined, deploy('cats'), deploy('coin'), deploy('semi'));
    assert.deepEqual(await contracts(), [
      [CATS, 'sip-009', null, 'cat', null, null],
      [COIN, 'sip-010', 'coin', null, null, null],
      [SEMI, 'sip-013', 'coin', 'cat', null, null],
    ]);
    assert.deepEqual([await tokens(CATS), await tokens(COIN), await tokens(SEMI)], [[], ['1'], []]);
    const events = await rows('SELECT seq, contract_id, token, kind, tx_id, block FROM token_events ORDER BY seq');
    assert.deepEqual(
      events.map(event => values({ ...event, tx_id: hex(event.tx_id), block: hex(event.block) })),
      [CATS, COIN, SEMI].map((id, i) => [
        i,
        id,
        id === COIN ? '1' : null,
        'deploy',
        block.txs[i]?.txId ?? '',
        block.indexHash,
      ]),
    );
  });

  test('a deployment that failed, or whose interface fits no standard, is no token contract', async t => {
    const { chain, tx, mine, contracts, tokens } = await open(t);
    const interfaceOf = tokenContractInterface('sip-009');
    const failed = sampleDeploy(chain, 'cats', { contractInterface: interfaceOf });
    const plain = sampleDeploy(chain, 'dogs', { contractInterface: { ...interfaceOf, non_fungible_tokens: [] } });
    const withoutInterface = sampleDeploy(chain, 'cows', { functions: TOKEN_FUNCTIONS['sip-013'].slice(1) });
    const block = await mine(
      undefined,
      { ...failed, body: { ...failed.body, status: 'abort_by_response' } },
      plain,
      withoutInterface,
    );
    await mine(block, tx([mint(1), mint(1, `${DEPLOYER}.dogs::cat`)]));
    assert.deepEqual([await contracts(), await tokens()], [[], []]);
  });

  test('each minted uint of a SIP-009 contract is a token: 0, the largest, and what doubles confuse', async t => {
    const { deploy, tx, mine, tokens, news } = await open(t);
    const ids = [0n, 4n, 9007199254740992n, 9007199254740993n, 2n ** 63n, LARGEST];
    await mine(await mine(undefined, deploy('cats')), tx(ids.map(id => mint(id))));
    assert.deepEqual(new Set(await tokens()), new Set(ids.map(String)));
    assert.deepEqual(
      await news(),
      ids.map(id => `mint ${id}`),
    );
  });

  test('a contract of the same block has its mints, and all its classes share one space of numbers', async t => {
    const { deploy, tx, mine, tokens, news } = await open(t);
    await mine(undefined, deploy('cats'), tx([mint(1), mint(1, `${CATS}::kitten`), mint(2, `${CATS}::kitten`)]));
    assert.deepEqual(await tokens(), ['1', '2']);
    assert.deepEqual(await news(), ['mint 1', 'mint 2']);
  });

  test('mints with other ids, of other contracts, or before the deployment are none', async t => {
    const { deploy, tx, mine, tokens, news } = await open(t);
    const odd = [encodeClarityInt(1), encodeClarityAscii('1'), encodeClarityTuple({ id: encodeClarityUint(1) })];
    const strange = ['0x01', '0x', '0x0100', 'zz', `${uintHex(1).slice(0, -2)}`];
    const events = [
      ...odd.map(id => mintOf(toHex(id))),
      ...strange.map(id => mintOf(id)),
      mint(1, `${DEPLOYER}.dogs::cat`),
      mint(1, `${COIN}::cat`),
      mint(1, `${SEMI}::cat`),
      mint(1, '::cat'),
      mint(1, 'cats'),
    ];
    await mine(await mine(undefined, deploy('cats'), deploy('coin'), deploy('semi')), tx(events));
    assert.deepEqual([await tokens(CATS), await tokens(SEMI)], [[], []]);
    assert.deepEqual(await news(), []);
  });

  test('a mint in the block of the deployment but before it is none', async t => {
    const { deploy, tx, mine, tokens } = await open(t);
    await mine(undefined, tx([mint(1)]), deploy('cats'), tx([mint(2)]));
    assert.deepEqual(await tokens(), ['2']);
  });

  test('transfers and burns are no news, a mint of a token that was there is; twice in a block is one', async t => {
    const { deploy, tx, mine, tokens, news, rows } = await open(t);
    const first = await mine(undefined, deploy('cats'), tx([mint(1), mint(1)]), tx([mint(1)]));
    const burn = sampleMove(`${CATS}::cat`, uintHex(1), ALICE, null);
    const move = sampleMove(`${CATS}::cat`, uintHex(1), ALICE, DEPLOYER);
    await mine(await mine(first, tx([move, burn])), tx([mint(1)]));
    assert.deepEqual([await tokens(), await news()], [['1'], ['mint 1', 'mint 1']]);
    assert.deepEqual((await rows('SELECT event FROM tokens')).map(values), [[2]]);
  });

  test('a SIP-013 contract says itself what it mints', async t => {
    const { deploy, tx, mine, tokens, news } = await open(t);
    const printed = (id: Uint8Array, emitter = SEMI): Event => samplePrint(emitter, sftMintHex(id, ALICE));
    const uint = encodeClarityUint;
    await mine(
      await mine(undefined, deploy('semi'), deploy('cats')),
      tx([printed(uint(3)), printed(uint(3)), printed(uint(0)), printed(uint(LARGEST))]),
      tx([printed(encodeClarityInt(4)), printed(encodeClarityAscii('5')), printed(uint(6), CATS)]),
      tx([samplePrint(SEMI, sftMintHex(uint(7), ALICE), 'other')]),
    );
    assert.deepEqual(new Set(await tokens(SEMI)), new Set(['3', '0', String(LARGEST)]));
    assert.deepEqual(await tokens(CATS), []);
    assert.deepEqual(await news(), ['mint 3', 'mint 0', `mint ${LARGEST}`]);
  });

  test('a notification about all tokens is one event, and the mode of the contract', async t => {
    const { deploy, tx, mine, news, contracts, modes } = await open(t);
    const base = await mine(undefined, deploy('cats'), tx([mint(1), mint(2)]));
    await mine(base, tx([notify({ mode: 'dynamic', ttl: 10 })]));
    assert.deepEqual((await news()).slice(2), ['update all dynamic']);
    assert.deepEqual(await contracts(), [[CATS, 'sip-009', null, 'cat', 'dynamic', 60]]);
    assert.deepEqual(await modes(), []);
  });

  test('who may notify: the contract itself, and its deployer by any contract', async t => {
    const OTHER = `${ALICE}.notifier`;
    const rows: [string, Event, number, string[]][] = [
      ['the contract, any sender', notify({ ids: [1] }), 8, ['update 1 standard']],
      ['another contract, sent by the deployer', notify({ ids: [1] }, OTHER), 9, ['update 1 standard']],
      ['another contract, another sender', notify({ ids: [1] }, OTHER), 8, []],
      [
        'a text in place of the principal',
        notify({ ids: [1], contractId: encodeClarityAscii(CATS) }),
        8,
        ['update 1 standard'],
      ],
      ['a text that no database takes', notify({ ids: [1], contractId: encodeClarityAscii(`${DEPLOYER}.\0`) }), 9, []],
      ['a contract of the deployer that is none', notify({ ids: [1], contractId: `${DEPLOYER}.dogs` }), 9, []],
    ];
    const { deploy, tx, mine, news } = await open(t);
    let top = await mine(undefined, deploy('cats'), tx([mint(1)]));
    let seen = (await news()).length;
    for (const [what, event, from, wanted] of rows) {
      top = await mine(top, tx([event], { from }));
      const all = await news();
      assert.deepEqual(all.slice(seen), wanted, what);
      seen = all.length;
    }
  });

  test('a notification is about known tokens of a contract of its class', async t => {
    const semi = (parts: NotificationParts) => notify({ contractId: SEMI, tokenClass: 'sft', ...parts }, SEMI);
    const rows: [string, Event, string[]][] = [
      ['two of three', notify({ ids: [1, 2] }), ['update 1 standard', 'update 2 standard']],
      ['one twice', notify({ ids: [3, 3] }), ['update 3 standard']],
      ['none', notify({ ids: [] }), []],
      ['unknown ones among known ones', notify({ ids: [1, 99, LARGEST] }), ['update 1 standard']],
      ['semi-fungible', semi({ ids: [5, 6] }), ['update 5 standard']],
      ['semi-fungible, all', semi({}), []],
      ['fungible', notify({ contractId: COIN, tokenClass: 'ft' }, COIN), ['update 1 standard']],
      ['another class than the contract', notify({ tokenClass: 'ft' }), []],
      ['another class with ids', notify({ tokenClass: 'sft', ids: [1] }), []],
      ['an unknown contract', notify({ contractId: `${DEPLOYER}.dogs` }, `${DEPLOYER}.dogs`), []],
      ['an unknown mode', notify({ mode: 'weekly' }), []],
      ['bytes that are no value', samplePrint(CATS, `0xff${Buffer.from('token-metadata-update').toString('hex')}`), []],
      ['a text, no tuple', samplePrint(CATS, toHex(encodeClarityAscii('token-metadata-update'))), []],
      [
        'another topic',
        {
          ...notify({ ids: [1] }),
          ...samplePrint(CATS, notificationHex({ contractId: CATS, tokenClass: 'nft' }), 'x'),
        },
        [],
      ],
    ];
    const { deploy, tx, mine, news } = await open(t);
    const deployments = [deploy('cats'), deploy('coin'), deploy('semi')];
    const minted = tx([mint(1), mint(2), mint(3), samplePrint(SEMI, sftMintHex(encodeClarityUint(5), ALICE))]);
    let top = await mine(undefined, ...deployments, minted);
    let seen = (await news()).length;
    for (const [what, event, wanted] of rows) {
      top = await mine(top, tx([event]));
      const all = await news();
      assert.deepEqual(all.slice(seen), wanted, what);
      seen = all.length;
    }
  });

  test('a transaction that failed says nothing', async t => {
    const { deploy, tx, mine, tokens, news } = await open(t);
    const base = await mine(undefined, deploy('cats'), tx([mint(1)]));
    await mine(base, tx([mint(2), notify({})], { status: 'abort_by_response' }));
    assert.deepEqual([await tokens(), await news()], [['1'], ['mint 1']]);
  });

  test('the last mode counts, a mint keeps it, and after `frozen` notifications are ignored', async t => {
    const { deploy, tx, mine, news, modes } = await open(t);
    let top = await mine(undefined, deploy('cats'), tx([mint(1), mint(2)]));
    top = await mine(top, tx([notify({ ids: [1, 2], mode: 'dynamic', ttl: LARGEST })]), tx([mint(1)]));
    assert.deepEqual(await modes(), [
      ['1', 'dynamic', 2_592_000],
      ['2', 'dynamic', 2_592_000],
    ]);
    top = await mine(top, tx([notify({ ids: [1], mode: 'frozen' }), notify({ ids: [2], mode: 'standard' })]));
    assert.deepEqual(await modes(), [
      ['1', 'frozen', null],
      ['2', 'standard', null],
    ]);
    const before = (await news()).length;
    top = await mine(top, tx([notify({ ids: [1, 2] })]), tx([mint(1)]));
    assert.deepEqual((await news()).slice(before), ['update 2 standard', 'mint 1']);
    top = await mine(top, tx([notify({ mode: 'frozen' }), notify({}), notify({ ids: [2] })]));
    assert.deepEqual((await news()).slice(before + 2), ['update all frozen']);
    assert.deepEqual(await modes(), [
      ['1', 'frozen', null],
      ['2', 'standard', null],
    ]);
  });

  test('rolled back: a notification, and the mode before it counts again', async t => {
    const { deploy, tx, mine, news, modes, contracts } = await open(t);
    const base = await mine(undefined, deploy('cats'), tx([mint(1), notify({ ids: [1], mode: 'dynamic', ttl: 90 })]));
    const losing = await mine(base, tx([notify({ ids: [1], mode: 'frozen' }), notify({ mode: 'frozen' })]));
    assert.deepEqual([await modes(), (await contracts())[0]?.[4]], [[['1', 'frozen', null]], 'frozen']);
    await mine(await mine(base));
    assert.deepEqual([await modes(), (await contracts())[0]?.[4]], [[['1', 'dynamic', 90]], null]);
    assert.deepEqual(await news(), ['mint 1', 'update 1 dynamic']);
    await mine(await mine(losing));
    assert.deepEqual(await news(), ['mint 1', 'update 1 dynamic', 'update 1 frozen', 'update all frozen']);
  });

  test('rolled back: a mint, then mined again by another block', async t => {
    const { deploy, tx, mine, tokens, rows } = await open(t);
    const base = await mine(undefined, deploy('cats'));
    const minting = tx([mint(1)]);
    await mine(base, minting);
    const other = await mine(await mine(base));
    assert.deepEqual(await tokens(), []);
    const again = await mine(other, minting);
    assert.deepEqual(await tokens(), ['1']);
    const [event] = await rows(`SELECT tx_id, block FROM token_events WHERE kind = 'mint'`);
    assert.deepEqual([hex(event?.tx_id), hex(event?.block)], [minting.txId, again.indexHash]);
  });

  test('rolled back: a deployment, with all of its tokens; the index is as if it had never been', async t => {
    const { index, chain, deploy, tx, mine, contracts, tokens, rows } = await open(t);
    const base = await mine(undefined, tx([]));
    const deployment = deploy('cats');
    await mine(await mine(base, deployment, tx([mint(1)])), tx([mint(2), notify({ ids: [1] })]));
    let other = base;
    for (let i = 0; i < 3; i++) other = await mine(other);
    assert.deepEqual([await contracts(), await tokens(), await rows('SELECT seq FROM token_events')], [[], [], []]);
    await index.deliver(chain.block({ parent: other, txs: [deployment, tx([mint(7)])] }).delivery);
    assert.deepEqual([(await contracts()).length, await tokens()], [1, ['7']]);
  });

  test('microblocks on the tip count at once; their events name the block once it has them', async t => {
    const { index, chain, deploy, tx, mine, tokens, rows } = await open(t);
    const base = await mine(undefined, tx([]));
    const microblocks = chain.microblocks(base, [[deploy('cats'), tx([mint(1)])], [tx([mint(2)])]]);
    await index.deliver(chain.stream(base, microblocks));
    const blocks = async () =>
      (await rows('SELECT token, block FROM token_events ORDER BY seq')).map(row => [row.token, hex(row.block)]);
    assert.deepEqual(await tokens(), ['1', '2']);
    assert.deepEqual(await blocks(), [
      [null, '0x'],
      ['1', '0x'],
      ['2', '0x'],
    ]);
    const block = chain.block({ parent: base, microblocks: microblocks.slice(0, 1) });
    await index.deliver(block.delivery);
    assert.deepEqual(await tokens(), ['1']);
    assert.deepEqual(await blocks(), [
      [null, block.indexHash],
      ['1', block.indexHash],
    ]);
  });

  test('whatever is undone, what is left is that of the chain that won', async t => {
    const { index, deploy, tx, mine } = await open(t);
    const ids = [0, 1, 2];
    const random = fc.sample(
      fc.array(
        fc.oneof(
          fc.constantFrom(...ids).map(id => mint(id)),
          fc
            .record({ ids: fc.subarray(ids), mode: fc.constantFrom('standard', 'frozen', 'dynamic') })
            .map(parts => notify(parts)),
          fc.constantFrom('standard', 'dynamic').map(mode => notify({ mode })),
        ),
        { maxLength: 4 },
      ),
      { seed: 20_261_121, numRuns: 40 },
    );
    const next = (): BuiltTx => tx(random.pop() ?? []);
    let top = await mine(undefined, deploy('cats'), next());
    const won = [top];
    for (let round = 0; round < 6; round++) {
      // A branch that is the longer one for a while, then the one that wins.
      await mine(await mine(top, next()), next(), deploy('semi'));
      for (let i = 0; i < 3; i++) {
        top = await mine(top, next());
        won.push(top);
      }
    }
    const straight = await openTestIndex(await databaseWithTables(openFresh, t));
    await straight.deliver(...won.map(({ delivery }) => delivery));
    const [forked, wanted] = [await index.dump(), await straight.dump()];
    for (const table of ['token_contracts', 'token_contract_entries', 'tokens', 'token_events'])
      assert.deepEqual(forked[table], wanted[table], table);
    assert.ok((wanted.token_events?.length ?? 0) > 20);
  });

  test('the same contract deployed again changes nothing', async t => {
    const { deploy, mine, rows } = await open(t);
    const first = deploy('cats');
    await mine(await mine(undefined, first), deploy('cats'));
    assert.equal((await rows('SELECT seq FROM token_contract_entries')).length, 1);
    const [contract] = await rows('SELECT tx_id FROM token_contracts');
    assert.equal(hex(contract?.tx_id), first.txId);
  });
});

const values = (row: Row): SqlValue[] => Object.values(row);
const hex = (bytes: SqlValue | undefined): string => (bytes instanceof Uint8Array ? toHex(bytes) : String(bytes));
