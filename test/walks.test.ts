/** Lists of version 3, walked by cursors, are those of versions 1 and 2. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFreshOf } from './support/engines.ts';
import { referencePath, withoutReference } from './support/reference-material.ts';
import { replayed } from './support/replayed.ts';
import { scale } from './support/scale.ts';
import { openTestIndex, type TestIndex } from './support/test-index.ts';

const LIMIT = 7;
/** The longest page of the older lists. */
const LONGEST = 50;

// Records are looked into freely.
// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
type Read = (record: any) => string;

/** Every row from the first page on; then back by `previous` from the last one, to the first page again. */
async function walked(index: TestIndex, path: string, read: Read): Promise<string[]> {
  const pages: string[][] = [];
  const at = async (cursor: string | null) =>
    (await index.get(`${path}?limit=${LIMIT}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)).body;
  const visit = async (cursor: string | null) => {
    const body = await at(cursor);
    assert.deepEqual((await at(body.cursor.current)).results, body.results, path);
    return { body, ids: (body.results as unknown[]).map(read) };
  };
  let page = await visit(null);
  pages.push(page.ids);
  while (page.body.cursor.next !== null) {
    page = await visit(page.body.cursor.next);
    pages.push(page.ids);
  }
  for (const ids of pages.toReversed()) {
    assert.deepEqual(page.ids, ids, path);
    if (page.body.cursor.previous !== null) page = await visit(page.body.cursor.previous);
  }
  assert.equal(page.body.cursor.previous, null);
  const all = pages.flat();
  assert.equal(page.body.total, all.length);
  return all;
}

/** Every row by offsets. */
async function paged(index: TestIndex, path: string, read: Read): Promise<string[]> {
  const all: string[] = [];
  for (let total = 1; all.length < total; ) {
    const { body } = await index.get(`${path}limit=${LONGEST}&offset=${all.length}`);
    total = body.total;
    all.push(...body.results.map(read));
  }
  return all;
}

const id: Read = record => record.tx_id;

/** Rows of an older list of everything about a principal, token or transaction. */
type Older = (read: Read, path: string) => Promise<string[]>;

/** Each list of version 3 beside the one of an older version that has the same rows. */
async function compareLists(index: TestIndex, chosen: number): Promise<void> {
  const older: Older = (read, path) => paged(index, path, read);
  const all = await walked(index, '/extended/v3/transactions', id);
  assert.deepEqual(all, await older(id, '/extended/v1/tx?unanchored=true&'));
  const { body: blocks } = await index.get('/extended/v2/blocks?limit=30');
  for (const { height } of blocks.results.slice(0, chosen)) {
    const own = await older(id, `/extended/v2/blocks/${height}/transactions?`);
    if (own.length > 0)
      assert.deepEqual(await walked(index, `/extended/v3/blocks/${height}/transactions`, id), own.toReversed());
  }
  assert.deepEqual(
    (await walked(index, '/extended/v3/mempool/transactions', id)).sort(),
    (await older(id, '/extended/v1/tx/mempool?')).sort(),
  );
  const { body: newest } = await index.get('/extended/v3/transactions?limit=50');
  const senders = new Set<string>(newest.results.map((tx: { sender: { address: string } }) => tx.sender.address));
  for (const principal of [...senders].slice(0, chosen)) await compareListsOf(index, principal, older);
  for (const txId of all.slice(0, chosen))
    assert.deepEqual(
      await walked(index, `/extended/v3/transactions/${txId}/events`, ({ event_index }) => event_index),
      (await eventsBefore(index, txId)).map(({ event_index }) => event_index),
    );
}

/** The events of a transaction by version 1, in their order. */
async function eventsBefore(index: TestIndex, txId: string): Promise<{ readonly event_index: string }[]> {
  const { body } = await index.get(`/extended/v1/tx/${txId}?event_limit=100`);
  return body.events;
}

async function compareListsOf(index: TestIndex, principal: string, older: Older): Promise<void> {
  const path = `/extended/v3/principals/${principal}`;
  const listed = await walked(index, `${path}/transactions`, record => record.transaction.tx_id);
  const before = await older(record => record.tx.tx_id, `/extended/v2/addresses/${principal}/transactions?`);
  // What locks STX for somebody who takes no part is new in version 3.
  const known = new Set(before);
  assert.deepEqual(
    listed.filter(txId => known.has(txId)),
    before,
  );
  for (const txId of listed.filter(txId => !known.has(txId)))
    assert.match(JSON.stringify(await eventsBefore(index, txId)), new RegExp(`"locked_address":"${principal}"`));

  const moves = await older(
    ({ event_type, tx_id, event_index, asset: { sender, recipient } = {} }) =>
      [event_type, `${tx_id}:${event_index}`, sender, recipient].join(' '),
    `/extended/v1/address/${principal}/assets?unanchored=true&`,
  );
  const placed: Read = ({ transaction }) => `${transaction.tx_id}:${transaction.event_index}`;
  for (const [direction, party] of [
    ['outbound', 2],
    ['inbound', 3],
  ] as const) {
    const stx = moves.map(move => move.split(' ')).filter(move => move[0] === 'stx_asset' && move[party] === principal);
    assert.deepEqual(
      await walked(index, `${path}/transfers/stx/${direction}`, placed),
      stx.map(([, place]) => place),
      direction,
    );
  }

  assert.deepEqual(
    (await walked(index, `${path}/balances/ft`, record => `${record.asset_identifier} ${record.balance}`)).sort(),
    (
      await older(record => `${record.token} ${record.balance}`, `/extended/v2/addresses/${principal}/balances/ft?`)
    ).sort(),
  );
  const token: Read = record => `${record.asset_identifier} ${record.value.hex}`;
  const owned = await walked(index, `${path}/balances/nft`, token);
  assert.deepEqual(
    owned.toSorted(),
    (await older(token, `/extended/v1/tokens/nft/holdings?principal=${principal}&unanchored=true&`)).sort(),
  );
  for (const [asset = '', value = ''] of owned.slice(0, 2).map(token => token.split(' ')))
    assert.deepEqual(
      await walked(index, `/extended/v3/tokens/nft/${encodeURIComponent(asset)}/${value}/history`, placed),
      await older(
        record => `${record.tx_id}:${record.event_index}`,
        `/extended/v1/tokens/nft/history?asset_identifier=${encodeURIComponent(asset)}&value=${value}&unanchored=true&`,
      ),
    );
}

const CHAINS: readonly { readonly name: string; readonly archive: string; readonly skip: string | false }[] = [
  { name: 'sample', archive: join(import.meta.dirname, '../examples/sample-chain.tsv.gz'), skip: false },
  {
    name: 'rich',
    archive: referencePath('data/sim-rich.tsv.gz'),
    skip: withoutReference('data/sim-rich.tsv.gz') || (scale === 'short' && 'npm run test:all walks the rich chain'),
  },
];

for (const { name, archive, skip } of CHAINS)
  test(`walking a list of version 3 gives what the list of an older version gives, on the ${name} chain`, {
    skip,
  }, async t => {
    const index = await openTestIndex((await replayed(openFreshOf.sqlite, archive)(t)).database);
    await compareLists(index, scale === 'short' ? 3 : 30);
  });
