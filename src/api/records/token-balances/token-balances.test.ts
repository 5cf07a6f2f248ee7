import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../../test/support/engines.ts';
import { databaseWithTables } from '../../../../test/support/reused-database.ts';
import { sampleMove } from '../../../../test/support/sample-contracts.ts';
import { openTestIndex, type TestIndex } from '../../../../test/support/test-index.ts';
import { accountAddress, type BuiltTx } from '../../../../test/support/transaction-builder.ts';
import { encodeClarityUint } from '../../../base/codec/index.ts';
import { toHex } from '../../../base/lib/hex.ts';

const [ANNE, BEN] = [accountAddress(41), accountAddress(42)];
const GOLD = `${accountAddress(9)}.mint::gold`;
const SILVER = `${accountAddress(9)}.Mint::silver`;
const APES = `${accountAddress(9)}.apes::ape`;
const APE = toHex(encodeClarityUint(1));

/** An event of a fungible token: a mint without a sender, a burn without a recipient. */
function moved(asset: string, amount: number, sender: string | null, recipient: string | null) {
  const type = sender === null ? 'ft_mint_event' : recipient === null ? 'ft_burn_event' : 'ft_transfer_event';
  const parties = { ...(sender && { sender }), ...(recipient && { recipient }) };
  return { type, [type]: { asset_identifier: asset, amount: String(amount), ...parties } };
}

const withEvents = (tx: BuiltTx, ...events: Readonly<Record<string, unknown>>[]): BuiltTx => ({
  ...tx,
  events: events.map((event, event_index) => ({ txid: tx.txId, event_index, committed: true, ...event })),
});

const get = async (index: TestIndex, path: string) => (await index.get(path)).body;
const balances = (index: TestIndex, principal: string, query = '') =>
  get(index, `/extended/v1/address/${principal}/balances${query}`);
const holders = async (index: TestIndex, token: string, query = '') =>
  get(index, `/extended/v1/tokens/ft/${encodeURIComponent(token)}/holders${query}`);
const listed = (page: { results: { address: string; balance: string }[] }) =>
  page.results.map(({ address, balance }) => [address, balance]);

/** Block 1 mints, block 2 moves, block 3 burns. */
function threeBlocks(chain: ChainBuilder): BuiltBlock[] {
  const first = chain.block({
    txs: [
      withEvents(
        chain.transfer(),
        moved(GOLD, 100, null, ANNE),
        moved(SILVER, 5, null, ANNE),
        sampleMove(APES, APE, null, ANNE),
      ),
    ],
  });
  const second = chain.block({
    parent: first,
    txs: [withEvents(chain.transfer(), moved(GOLD, 70, ANNE, BEN), sampleMove(APES, APE, ANNE, BEN))],
  });
  const third = chain.block({
    parent: second,
    txs: [withEvents(chain.transfer(), moved(GOLD, 70, BEN, null), sampleMove(APES, APE, BEN, null))],
  });
  return [first, second, third];
}

onSqliteAtLeast((_engine, openFresh) => {
  const open = async (t: TestContext) => {
    const index = await openTestIndex(await databaseWithTables(openFresh, t));
    const chain = new ChainBuilder();
    return { index, chain, deliver: (blocks: readonly BuiltBlock[]) => index.deliver(...blocks.map(b => b.delivery)) };
  };

  test('balances at a block are those of that block, by its height and by its hash, and nothing is pending in them', async t => {
    const { index, chain, deliver } = await open(t);
    const blocks = threeBlocks(chain);
    await deliver(blocks);
    const gold = async (query: string) => (await balances(index, ANNE, query)).fungible_tokens[GOLD].balance;
    for (const [i, balance] of ['100', '30', '30'].entries()) {
      assert.equal(await gold(`?until_block=${i + 1}`), balance);
      assert.equal(await gold(`?until_block=${blocks[i]?.hash}`), balance);
    }
    assert.equal(await gold('?until_block=1.5'), '100');
    assert.equal(await gold('?until_block=99999999999'), '30');
    const { stx } = await balances(index, ANNE, '?until_block=');
    assert.equal('estimated_balance' in stx, false);
    assert.equal('estimated_balance' in (await balances(index, ANNE)).stx, true);
  });

  test('what was ever moved from or to a principal stays listed, with nothing left', async t => {
    const { index, chain, deliver } = await open(t);
    await deliver(threeBlocks(chain));
    assert.deepEqual((await balances(index, BEN)).fungible_tokens, {
      [GOLD]: { balance: '0', total_sent: '70', total_received: '70' },
    });
    assert.deepEqual((await balances(index, BEN)).non_fungible_tokens, {
      [APES]: { count: '0', total_sent: '1', total_received: '1' },
    });
    assert.deepEqual((await balances(index, BEN, '?until_block=1')).fungible_tokens, {});
  });

  test('a time that is none is refused, and a block that is unknown is not found', async t => {
    const { index, chain, deliver } = await open(t);
    await deliver(threeBlocks(chain));
    const status = async (query: string) => (await index.get(`/extended/v1/address/${ANNE}/stx?${query}`)).status;
    for (const wrong of ['0', '-1', 'abc', '0xzz', '0xabc', 'latest'])
      assert.equal(await status(`until_block=${wrong}`), 400, wrong);
    assert.equal(await status('until_block=2&unanchored=true'), 400);
    assert.equal(await status(`until_block=0x${'ab'.repeat(32)}`), 404);
  });

  test('tokens of a principal are listed by their identifiers in lower case while something is left of them', async t => {
    const { index, chain, deliver } = await open(t);
    await deliver(threeBlocks(chain));
    const list = (principal: string) => get(index, `/extended/v2/addresses/${principal}/balances/ft`);
    const rows = [
      { token: GOLD, balance: '30' },
      { token: SILVER, balance: '5' },
    ];
    assert.deepEqual(await list(ANNE), { limit: 100, offset: 0, total: 2, results: rows });
    assert.equal((await list(BEN)).total, 0);
  });

  test('as of a block, tokens, supplies, transfers and owners are those that an index without later blocks has', async t => {
    const { index, chain, deliver } = await open(t);
    await deliver(threeBlocks(chain));
    const gold = encodeURIComponent(GOLD);
    const heldAt = async (at: number) => {
      const of = async (principal: string) => {
        const [v2, v3, transfers, nfts, holdings] = await Promise.all(
          [
            `/extended/v2/addresses/${principal}/balances/ft?`,
            `/extended/v3/principals/${principal}/balances/ft?`,
            `/extended/v3/principals/${principal}/transfers/ft/${gold}?`,
            `/extended/v3/principals/${principal}/balances/nft?`,
            `/extended/v1/tokens/nft/holdings?principal=${principal}&`,
          ].map(path => get(index, `${path}at=${at}`)),
        );
        assert.deepEqual([v3.total, holdings.total, holdings.results.length], [v2.total, nfts.total, nfts.total]);
        const balances = v2.results.map(({ balance }: { balance: string }) => balance);
        return [balances.join(), transfers.total, nfts.results.length];
      };
      const { total } = await get(index, `/extended/v3/tokens/ft/${gold}/supply?at=${at}`);
      return [total, ...(await of(ANNE)), ...(await of(BEN))];
    };
    assert.deepEqual(await heldAt(1), ['100', '100,5', 1, 1, '', 0, 0]);
    assert.deepEqual(await heldAt(2), ['100', '30,5', 2, 0, '70', 1, 1]);
    assert.deepEqual(await heldAt(3), ['30', '30,5', 2, 0, '', 2, 0]);
    const holdersAt = async (at: number) => {
      const [v1, v3] = [
        await holders(index, GOLD, `?at=${at}`),
        await get(index, `/extended/v3/tokens/ft/${gold}/holders?at=${at}`),
      ];
      const richest = v3.results.map(({ principal, balance }: { principal: string; balance: string }) => [
        principal,
        balance,
      ]);
      assert.deepEqual([richest.length, richest], [v3.total, listed(v1).slice(0, v3.total)]);
      return [v1.total_supply, v1.total, listed(v1)];
    };
    assert.deepEqual(await holdersAt(1), ['100', 1, [[ANNE, '100']]]);
    assert.deepEqual(await holdersAt(2), [
      '100',
      2,
      [
        [BEN, '70'],
        [ANNE, '30'],
      ],
    ]);
    assert.deepEqual(await holdersAt(3), [
      '30',
      2,
      [
        [ANNE, '30'],
        [BEN, '0'],
      ],
    ]);
  });

  test('as of each block, holders of STX and their pages are those that an index without later blocks has', async t => {
    const { index, chain, deliver } = await open(t);
    const pages: unknown[] = [];
    const read = async (at: string) => {
      const v1 = await holders(index, 'stx', `?limit=2&offset=1${at}`);
      const first = await get(index, `/extended/v3/tokens/stx/holders?limit=1${at}`);
      const { next } = first.cursor;
      const second = next && (await get(index, `/extended/v3/tokens/stx/holders?limit=1&cursor=${next}${at}`));
      return [v1, first, second];
    };
    for (const block of chain.chain(4)) {
      await deliver([block]);
      pages.push(await read(''));
    }
    for (const [i, page] of pages.entries()) assert.deepEqual(await read(`&at=${i + 1}`), page, `as of ${i + 1}`);
  });

  test('the richest as of a block are found among accounts that ever had as much, whatever came since', async t => {
    // Fewer rows than what came since.
    const limits = { maxRowsSearched: 150 };
    const index = await openTestIndex(await databaseWithTables(openFresh, t), { limits });
    const chain = new ChainBuilder();
    const mint = (recipient: string, amount: number) => ({
      type: 'stx_mint_event',
      stx_mint_event: { recipient, amount: String(amount) },
    });
    const [RICH, POORER] = [accountAddress(43), accountAddress(44)];
    const first = chain.block({
      txs: [withEvents(chain.transfer(), mint(RICH, 9e12), mint(POORER, 8e12), mint(ANNE, 3e6))],
    });
    await index.deliver(first.delivery);
    const read = async (at: string) => [
      await get(index, `/extended/v3/tokens/stx/holders?limit=2${at}`),
      await holders(index, 'stx', `?limit=2${at}`),
    ];
    const then = await read('');
    const gone = {
      type: 'stx_transfer_event',
      stx_transfer_event: { sender: RICH, recipient: BEN, amount: String(9e12), memo: '' },
    };
    const payers = Array.from({ length: 100 }, (_, i) => chain.transfer({ from: 100 + i }));
    const second = chain.block({ parent: first, txs: [withEvents(chain.transfer(), gone), ...payers] });
    await index.deliver(second.delivery);
    assert.deepEqual(await read('&at=1'), then);
    const deep = await index.get('/extended/v1/tokens/ft/stx/holders?limit=2&offset=140&at=1');
    assert.equal(deep.body.total, then[1].total);
  });

  test('as of each block, pages of the tokens of an account are those that an index without later blocks has', async t => {
    const { index, chain, deliver } = await open(t);
    const V3 = `/extended/v3/principals/${ANNE}/balances/ft`;
    const read = async (at: string) => {
      const pages = [await get(index, `/extended/v2/addresses/${ANNE}/balances/ft?limit=4&offset=3${at}`)];
      for (let path = `${V3}?limit=3${at}`; ; ) {
        const page = await get(index, path);
        pages.push(page);
        const { next, previous } = page.cursor;
        if (previous) pages.push(await get(index, `${V3}?limit=3&cursor=${previous}${at}`));
        if (!next) return pages;
        path = `${V3}?limit=3&cursor=${next}${at}`;
      }
    };
    const all: unknown[] = [];
    const left = new Map<string, number>();
    let parent: BuiltBlock | undefined;
    for (let height = 1; height <= 5; height++) {
      // Of twelve tokens, some come later, each rises and falls by a factor, and some are gone for a while.
      const events = Array.from({ length: 12 }, (_, i) => i)
        .filter(i => (i + height) % 3 !== 0)
        .flatMap(i => {
          const token = `${accountAddress(9)}.mint::token-${i}`;
          const before = left.get(token) ?? 0;
          const after = (7 * i * height) % 5 === 0 ? 0 : 10 ** ((i + 2 * height) % 6) + i;
          left.set(token, after);
          if (after === before) return [];
          return after > before
            ? [moved(token, after - before, null, ANNE)]
            : [moved(token, before - after, ANNE, BEN)];
        });
      const block = chain.block({ ...(parent && { parent }), txs: [withEvents(chain.transfer(), ...events)] });
      await deliver([block]);
      parent = block;
      all.push(await read(''));
    }
    for (const [i, pages] of all.entries()) assert.deepEqual(await read(`&at=${i + 1}`), pages, `as of ${i + 1}`);
  });

  test('the greatest balances of an account as of a block are found among the tokens of which it ever had as much', async t => {
    // Fewer rows than the tokens that it has.
    const index = await openTestIndex(await databaseWithTables(openFresh, t), { limits: { maxRowsSearched: 600 } });
    const chain = new ChainBuilder();
    const tokens = Array.from({ length: 700 }, (_, i) => ({
      token: `${accountAddress(9)}.mint::t-${i}`,
      amount: 1 << (i % 20),
    }));
    const mints = tokens.map(({ token, amount }) => moved(token, amount, null, ANNE));
    const first = chain.block({ txs: [withEvents(chain.transfer(), ...mints)] });
    await index.deliver(first.delivery);
    const read = (at: string) => get(index, `/extended/v3/principals/${ANNE}/balances/ft?limit=5${at}`);
    const then = await read('');
    const gone = tokens.map(({ token, amount }) => moved(token, amount, ANNE, BEN));
    await index.deliver(chain.block({ parent: first, txs: [withEvents(chain.transfer(), ...gone)] }).delivery);
    assert.deepEqual([(await read('')).total, await read('&at=1')], [0, then]);
  });

  test('holders are listed by balance, those of nothing too, and the supply is what was minted and not burned', async t => {
    const { index, chain, deliver } = await open(t);
    await deliver(threeBlocks(chain));
    const page = await holders(index, GOLD);
    assert.deepEqual(
      [page.total_supply, page.total, listed(page)],
      [
        '30',
        2,
        [
          [ANNE, '30'],
          [BEN, '0'],
        ],
      ],
    );
    const past = await holders(index, GOLD, '?offset=9');
    assert.deepEqual([past.total_supply, past.total, past.results], ['30', 2, []]);
    assert.deepEqual(listed(await holders(index, GOLD, '?limit=1&offset=1')), [[BEN, '0']]);
  });

  test('a fork takes holders, tokens and owners back', async t => {
    const { index, chain, deliver } = await open(t);
    const [first, second, third] = threeBlocks(chain);
    assert.ok(first && second && third);
    await deliver([first, second, third]);
    await deliver(chain.chain(3, first));
    const page = await holders(index, GOLD);
    assert.deepEqual([page.total_supply, page.total, listed(page)], ['100', 1, [[ANNE, '100']]]);
    assert.deepEqual((await balances(index, BEN)).fungible_tokens, {});
    const { results } = await get(index, `/extended/v1/tokens/nft/holdings?principal=${ANNE}`);
    assert.deepEqual(
      results.map((row: { block_height: number }) => row.block_height),
      [1],
    );
    const history = `/extended/v1/tokens/nft/history?asset_identifier=${encodeURIComponent(APES)}&value=${APE}`;
    assert.equal((await get(index, history)).total, 1);
  });

  test('the history of a token ends with its burn, which has no recipient', async t => {
    const { index, chain, deliver } = await open(t);
    await deliver(threeBlocks(chain));
    const asset = encodeURIComponent(APES);
    const { results } = await get(index, `/extended/v1/tokens/nft/history?asset_identifier=${asset}&value=${APE}`);
    const told = results.map((row: Record<string, unknown>) => [row.asset_event_type, row.sender, row.recipient]);
    assert.deepEqual(told, [
      ['burn', BEN, null],
      ['transfer', ANNE, BEN],
      ['mint', null, ANNE],
    ]);
  });

  test('what only a microblock on the tip moved is in balances that ask for it, and in no list', async t => {
    const { index, chain } = await open(t);
    const root = chain.block({ txs: [withEvents(chain.transfer(), moved(GOLD, 100, null, ANNE))] });
    const paid = withEvents(chain.transfer(), moved(GOLD, 60, ANNE, BEN));
    await index.deliver(root.delivery, chain.stream(root, chain.microblocks(root, [[paid]])));
    assert.deepEqual(listed(await holders(index, GOLD)), [[ANNE, '100']]);
    assert.equal((await get(index, `/extended/v2/addresses/${BEN}/balances/ft`)).total, 0);
    assert.deepEqual((await balances(index, BEN)).fungible_tokens, {});
    assert.equal((await balances(index, BEN, '?unanchored=true')).fungible_tokens[GOLD].balance, '60');
  });
});
