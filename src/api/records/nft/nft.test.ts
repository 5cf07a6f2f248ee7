import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { ownerOfToken, tokensOfOwner } from '../../../../test/support/nft-owners.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { sampleDeploy, sampleFunction, sampleMove } from '../../../../test/support/sample-contracts.ts';
import { openTestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { encodeClarityUint } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';

const ASSET = `${accountAddress(9)}.apes::ape`;
const [ALICE, BOB, CAROL] = [2, 3, 4].map(accountAddress) as [string, string, string];
const token = (id: number): string => toHex(encodeClarityUint(id));
const path = (rest = '', asset = ASSET): string =>
  `/extended/v1/tokens/nft/mints?asset_identifier=${encodeURIComponent(asset)}${rest}`;

onSqliteAtLeast((_engine, openFresh) => {
  const open = async (t: Parameters<typeof openFresh>[0]) => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const first = chain.block({
      txs: [sampleDeploy(chain, 'apes', { functions: [sampleFunction('act', 'uint128')] })],
    });
    await index.deliver(first.delivery);
    /** A call with these moves: token, from, to. */
    const move = (...moves: [id: number, from: string | null, to: string | null][]): BuiltTx => ({
      ...chain.call('apes', 'act'),
      ...withEvents(
        chain.call('apes', 'act'),
        moves.map(([id, from, to]) => sampleMove(ASSET, token(id), from, to)),
      ),
    });
    const mine = async (parent: BuiltBlock, ...txs: BuiltTx[]): Promise<BuiltBlock> => {
      const block = chain.block({ parent, txs });
      await index.deliver(block.delivery);
      return block;
    };
    const owner = (id: number) => database.read(queries => ownerOfToken(queries, ASSET, token(id)));
    const owned = (by: string) => database.read(queries => tokensOfOwner(queries, ASSET, by));
    const mints = async (rest = '') => {
      const { status, body } = await index.get(path(rest));
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const minted = async (rest = '') =>
      (await mints(rest)).results.map((mint: { value: { repr: string } }) => mint.value.repr);
    return { index, chain, first, move, mine, owner, owned, mints, minted };
  };

  test('mints are listed newest first, each time a token is minted, also when it was burned', async t => {
    const { first, move, mine, mints, minted } = await open(t);
    const tx = move([1, null, ALICE], [1, ALICE, null], [2, null, BOB]);
    await mine(await mine(first, tx), move([1, null, CAROL]));
    assert.deepEqual(await minted(), ['u1', 'u2', 'u1']);
    const body = await mints();
    assert.deepEqual([body.limit, body.offset, body.total], [50, 0, 3]);
    const value = { hex: token(2), repr: 'u2' };
    assert.deepEqual(body.results[1], { event_index: 2, value, tx_id: tx.txId, recipient: BOB });
  });

  test('a page has the true total, also past the end', async t => {
    const { first, move, mine, mints, minted } = await open(t);
    await mine(first, move(...[1, 2, 3, 4, 5].map((id): [number, null, string] => [id, null, ALICE])));
    assert.deepEqual(await minted('&limit=2&offset=1'), ['u4', 'u3']);
    for (const offset of ['5', '6', '9007199254740991']) {
      const body = await mints(`&offset=${offset}`);
      assert.deepEqual([body.total, body.results], [5, []]);
    }
  });

  test('with its transaction a mint looks the same, the id replaced', async t => {
    const { index, first, move, mine, mints } = await open(t);
    const [one, two] = [move([1, null, ALICE], [2, null, ALICE]), move([3, null, BOB])];
    await mine(first, one, two);
    const plain = (await mints()).results;
    const full = (await mints('&tx_metadata=true')).results;
    const { results } = (await index.get('/extended/v1/tx?limit=2')).body;
    assert.deepEqual(
      full.map(({ tx }: { tx: object }) => tx),
      [results[0], results[1], results[1]],
    );
    assert.equal(results[1].contract_call.function_signature, '(define-public (act (a0 uint)))');
    for (const [i, { tx, ...mint }] of full.entries()) assert.deepEqual({ ...mint, tx_id: tx.tx_id }, plain[i]);
  });

  test('a token belongs to whom its last event names, and to nobody once it is burned', async t => {
    const { first, move, mine, owner, owned } = await open(t);
    const block = await mine(first, move([1, null, ALICE], [1, ALICE, BOB]), move([1, BOB, CAROL], [2, null, CAROL]));
    assert.deepEqual([await owner(1), await owner(2), await owner(3)], [CAROL, CAROL, undefined]);
    assert.deepEqual(await owned(CAROL), [token(1), token(2)]);
    const burned = await mine(block, move([1, CAROL, null]));
    assert.deepEqual([await owner(1), await owned(CAROL)], [undefined, [token(2)]]);
    await mine(burned, move([1, null, ALICE], [1, ALICE, null], [1, null, BOB]));
    assert.equal(await owner(1), BOB);
  });

  test('tokens of another asset with the same value are others', async t => {
    const { chain, first, mine, move, owner, minted } = await open(t);
    const other = withEvents(chain.transfer(), [sampleMove(`${ASSET}s`, token(1), null, BOB)]);
    await mine(first, move([1, null, ALICE]), other);
    assert.equal(await owner(1), ALICE);
    assert.equal((await minted()).length, 1);
  });

  test('undoing the last transfer of a token gives it back to its owner before', async t => {
    const { first, move, mine, owner, owned, minted } = await open(t);
    const base = await mine(first, move([1, null, ALICE], [2, null, ALICE]));
    const losing = await mine(base, move([1, ALICE, BOB], [2, ALICE, null], [3, null, CAROL]));
    assert.deepEqual([await owner(1), await owner(2), await owner(3)], [BOB, undefined, CAROL]);
    await mine(await mine(base));
    assert.deepEqual([await owner(1), await owner(2), await owner(3)], [ALICE, ALICE, undefined]);
    assert.deepEqual(await owned(BOB), []);
    assert.deepEqual(await minted(), ['u2', 'u1']);
    await mine(await mine(losing));
    assert.deepEqual([await owner(1), await owner(2), await owner(3)], [BOB, undefined, CAROL]);
    assert.deepEqual(await minted(), ['u3', 'u2', 'u1']);
  });

  test('when a branch of several blocks wins again, the owner is that of its last block', async t => {
    const { first, move, mine, owner } = await open(t);
    const base = await mine(first, move([1, null, ALICE]));
    const top = await mine(await mine(base, move([1, ALICE, BOB])), move([1, BOB, CAROL]));
    await mine(await mine(await mine(base, move([1, ALICE, ALICE]))));
    assert.equal(await owner(1), ALICE);
    await mine(await mine(top));
    assert.equal(await owner(1), CAROL);
  });

  test('mints of microblocks on the tip count with `unanchored=true` only, and move the owner at once', async t => {
    const { index, chain, first, move, mine, owner, minted, mints } = await open(t);
    const base = await mine(first, move([1, null, ALICE]), move([2, null, ALICE]));
    const many = move(...Array.from({ length: 1200 }, (_, i): [number, null, string] => [i + 10, null, BOB]));
    const microblocks = chain.microblocks(base, [[move([3, null, BOB], [1, ALICE, BOB])], [many]]);
    await index.deliver(chain.stream(base, microblocks));
    assert.deepEqual([await minted(), (await mints()).total], [['u2', 'u1'], 2]);
    assert.deepEqual(await minted('&limit=1&offset=1'), ['u1']);
    assert.equal((await mints('&unanchored=true')).total, 1203);
    assert.deepEqual(await minted('&unanchored=true&limit=3&offset=1199'), ['u10', 'u3', 'u2']);
    assert.deepEqual((await mints('&unanchored=true&limit=1&tx_metadata=true')).results[0].tx.is_unanchored, true);
    assert.equal(await owner(1), BOB);
    await index.deliver(chain.block({ parent: base, microblocks: microblocks.slice(0, 1) }).delivery);
    assert.deepEqual(await minted(), ['u3', 'u2', 'u1']);
    await mine(await mine(base));
    assert.deepEqual([await minted(), await owner(1)], [['u2', 'u1'], ALICE]);
  });

  test('an asset whose only mints are unanchored has none yet', async t => {
    const { index, chain, first, move, mints } = await open(t);
    await index.deliver(chain.stream(first, chain.microblocks(first, [[move([1, null, ALICE])]])));
    const { total, results } = await mints();
    assert.deepEqual([total, results], [0, []]);
  });

  test('an asset identifier is a principal, :: and some text; else it is refused', async t => {
    const { index } = await open(t);
    const empty = { limit: 50, offset: 0, total: 0, results: [] };
    for (const asset of [`${ALICE}::y`, `${ALICE}.x::y::z`, `${ALICE}.x::'--`, `${ASSET} `]) {
      assert.deepEqual((await index.get(path('', asset))).body, empty, asset);
    }
    for (const asset of [
      '',
      ALICE,
      `${ALICE}.x`,
      `${ALICE}.x::`,
      `${ALICE}.x:y`,
      '::',
      'x',
      '::ape',
      'apes::ape',
      `${ALICE}x.apes::ape`,
      ` ${ASSET}`,
      `${ALICE}.::x`,
      '\u{1f600}',
    ]) {
      const { status, body } = await index.get(path('', asset));
      const message =
        'querystring/asset_identifier must be a contract and the name of its asset (`<contract id>::<asset name>`), not ';
      assert.deepEqual([status, body.message], [400, message + JSON.stringify(asset)], asset);
    }
  });

  test('a parameter that cannot be is named', async t => {
    const { index } = await open(t);
    const responses: [string, string][] = [
      ['limit=201', 'querystring/limit must be at most 200, not 201'],
      ['limit=-1', 'querystring/limit must be at least 0, not -1'],
      ['limit=', 'querystring/limit must be an integer, not ""'],
      ['limit=1&limit=2', 'querystring/limit must be an integer, not ["1","2"]'],
      ['offset=-1', 'querystring/offset must be at least 0, not -1'],
      ['offset=1e400', 'querystring/offset must be an integer, not "1e400"'],
      ['offset=9007199254740992', 'querystring/offset must be at most 9007199254740991, not 9007199254740992'],
      ['limit=%205', 'querystring/limit must be an integer, not " 5"'],
      ['unanchored=1', 'querystring/unanchored must be true or false, not "1"'],
      ['unanchored=', 'querystring/unanchored must be true or false, not ""'],
      ['tx_metadata=TRUE', 'querystring/tx_metadata must be true or false, not "TRUE"'],
      ['tx_metadata=true&tx_metadata=true', 'querystring/tx_metadata must be true or false, not ["true","true"]'],
      ['asset_identifier=x', `querystring/asset_identifier must be given once, not ["${ASSET}","x"]`],
    ];
    for (const [query, message] of responses) {
      const { status, body } = await index.get(path(`&${query}`));
      assert.deepEqual([status, body.message], [400, message], query);
    }
    for (const good of ['limit=0', 'limit=200', 'unanchored=false', 'tx_metadata=true', 'other=%00']) {
      assert.equal((await index.get(path(`&${good}`))).status, 200, good);
    }
    assert.equal((await index.get(path('&limit=0'))).body.limit, 50);
    const missing = (await index.get('/extended/v1/tokens/nft/mints')).body.message;
    assert.equal(missing, `querystring/asset_identifier is required`);
    assert.equal((await index.get(path('', `${ASSET}\u0000`))).status, 400);
  });
});

/** A transaction with other events. */
const withEvents = (tx: BuiltTx, events: readonly object[]): BuiltTx => ({
  ...tx,
  events: events.map(event => ({ txid: tx.txId, committed: true, ...event })),
});
