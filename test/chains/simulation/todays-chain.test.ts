import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delivery } from '../../../src/ingest/journal/entries.ts';
import { seededRandom } from '../../crash/random.ts';
import { modelResponse, routeOf } from '../../model/model.ts';
import { worldOf } from '../../model/world-of.ts';
import { checkRows } from '../../properties/counts.ts';
import { assertSameTables, canonicalTables } from '../../support/chain-assertions.ts';
import { onSqliteAtLeast } from '../../support/engines.ts';
import { findingsIn } from '../../support/findings.ts';
import { reusedDatabase } from '../../support/reused-database.ts';
import { scale } from '../../support/scale.ts';
import { openTestIndex, type TestIndex } from '../../support/test-index.ts';
import { todaysEnd, todaysEvents } from '../../support/todays-chain.ts';
import { SBTC_ASSET } from './cast.ts';
import { requestsAbout } from './requests.ts';

const events = todaysEvents();
const end = todaysEnd();
/** Of the requests, one in so many is sent at a time. */
const SHARE = scale === 'short' ? 4 : 1;
const ORDERS = scale === 'short' ? { sqlite: 2, postgres: 1 } : { sqlite: 40, postgres: 10 };
const skip = scale === 'short' && 'npm run test:all runs the scenario in the Clarity VM';

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);
  const openEmpty = async (): Promise<TestIndex> => openTestIndex(await emptyDatabase());

  test(`the index of a chain that ran in the Clarity VM holds what the VM holds at its end (${engine})`, async () => {
    const index = await openEmpty();
    await index.deliver(...events);
    await assertHolds(index);
  });

  test(`verify finds that index sound (${engine})`, async () => {
    const database = await emptyDatabase();
    await (await openTestIndex(database)).deliver(...events);
    assert.deepEqual(await findingsIn(database), []);
  });

  test(`the naive model answers requests about that chain alike, in the midst of it and at its end (${engine})`, async () => {
    const index = await openEmpty();
    let delivered = 0;
    for (const until of [Math.floor(events.length / 3), Math.floor(events.length / 2), events.length]) {
      await index.deliver(...events.slice(delivered, until));
      delivered = until;
      const known = events.slice(0, until);
      const asked = requestsAbout(events).filter((_, i) => i % SHARE === delivered % SHARE);
      for (const path of asked) await assertAsModel(index, known, path);
    }
  });

  test(`in whatever order its events come, and through restarts, the tables are those of its canonical part alone (${engine})`, async () => {
    for (let seed = 1; seed <= ORDERS[engine]; seed++) {
      const order = shuffled(events, seed);
      const canonical = await openEmpty();
      await canonical.journal.append(canonicalPart(order));
      const { tip } = await canonical.deliver();
      const expected = await canonicalTables(canonical);

      const database = await emptyDatabase();
      for (let from = 0; from < order.length; from += 1 + (seed % 9))
        await (await openTestIndex(database)).deliver(...order.slice(from, from + 1 + (seed % 9)));
      const index = await openTestIndex(database);
      assert.equal((await index.state()).tip?.indexBlockHash, tip?.indexBlockHash, `seed ${seed}`);
      assertSameTables(await canonicalTables(index), expected, `seed ${seed}`);
      await checkRows(index);
    }
  });
});

test('the scenario, run again in the Clarity VM, gives the same events and the same end', { skip }, async () => {
  const { makeTodaysChain } = await import('./todays-chain.ts');
  const { deliveries, atTheEnd } = await makeTodaysChain();
  assert.deepEqual(atTheEnd, end);
  assert.deepEqual(deliveries.map(textOf), events.map(textOf));
});

const textOf = ({ path, body }: Delivery): string => `${path} ${Buffer.from(body).toString()}`;

/** Accounts with their locks, names, and their managers. */
async function assertHolds(index: TestIndex): Promise<void> {
  assert.equal((await index.state()).tip?.indexBlockHash, end.tip);
  for (const [account, { unlocked, locked, unlockHeight, sats }] of Object.entries(end.accounts)) {
    const { body } = await index.get(`/extended/v2/addresses/${account}/balances/stx`);
    assert.deepEqual(
      [body.balance, body.locked, body.burnchain_unlock_height],
      [String(BigInt(unlocked) + BigInt(locked)), locked, unlockHeight],
      account,
    );
    const { body: sbtc } = await index.get(
      `/extended/v2/addresses/${account}/balances/ft/${encodeURIComponent(SBTC_ASSET)}`,
    );
    assert.equal(sbtc.balance, sats, account);
    const { body: listed } = await index.get(`/v1/addresses/stacks/${account}`);
    assert.deepEqual(listed.names, end.names[account] ?? [], account);
  }
  for (const [cycle, byKey] of Object.entries(end.stakers)) {
    const { body } = await index.get(`/extended/v2/pox/cycles/${cycle}/signers`);
    const counts = body.results.map((signer: { signing_key: string; solo_stacker_count: number }) => [
      signer.signing_key,
      signer.solo_stacker_count,
    ]);
    assert.deepEqual(Object.fromEntries(counts), byKey, `cycle ${cycle}`);
  }
}

async function assertAsModel(index: TestIndex, known: readonly Delivery[], path: string): Promise<void> {
  const route = routeOf(path)?.route;
  assert.ok(route, `the model has no ${path}`);
  const expected = modelResponse(known, path);
  const actual = await index.get(path);
  assert.equal(actual.status, expected.status, `status of ${path}`);
  if (actual.status >= 400) return;
  const { normalise = (body: unknown) => body } = route;
  assert.deepEqual(normalise(actual.body), normalise(expected.body), path);
}

/** Burn blocks in their own order, as only their order shows a fork; blocks anywhere between. */
function shuffled(all: readonly Delivery[], seed: number): Delivery[] {
  const random = seededRandom(seed);
  const places = all.map(() => random.next());
  const isBurn = ({ path }: Delivery) => path === '/new_burn_block';
  const burnPlaces = places.filter((_, i) => isBurn(all[i] as Delivery)).sort((a, b) => a - b);
  const placed = all.map((event, i) => ({ event, at: (isBurn(event) ? burnPlaces.shift() : places[i]) ?? 0 }));
  return placed.sort((a, b) => a.at - b.at).map(({ event }) => event);
}

/** What a node without forks sends: the canonical burn blocks, then the canonical blocks. */
function canonicalPart(all: readonly Delivery[]): Delivery[] {
  const { blocks, burnBlocks } = worldOf(all);
  const hashes = new Set([...blocks.map(({ indexHash }) => indexHash), ...burnBlocks.map(({ hash }) => hash)]);
  const part = all.filter(({ path, body }) => hashes.has(idOf(path, body)));
  const order = [...hashes];
  return part.sort((a, b) => rank(a) - rank(b));

  function rank({ path, body }: Delivery): number {
    return (path === '/new_block' ? 1000 : 0) + order.indexOf(idOf(path, body));
  }
}

function idOf(path: string, body: Uint8Array): string {
  const payload = JSON.parse(Buffer.from(body).toString());
  return path === '/new_block' ? payload.index_block_hash : payload.burn_block_hash;
}
