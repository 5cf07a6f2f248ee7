import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuiltHistory } from '../../../test/support/built-history.ts';
import {
  EXTEND_ONLY,
  eventsOf,
  HIDDEN,
  type HistoryEvent,
  LATE_SIBLING,
  ordersOf,
  REORG_AND_BACK,
  REORG_BELOW_EXTEND,
  REORG_NOT_NAMED,
  SAME_TENURE,
  TWO_TENURES,
} from '../../../test/support/burn-view-cases.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import { reusedDatabase } from '../../../test/support/reused-database.ts';
import { scale } from '../../../test/support/scale.ts';
import { openTestIndex, type TestIndex } from '../../../test/support/test-index.ts';

const CASES = [
  { what: 'after a Bitcoin reorg below a tenure extend the tip is on the new branch', told: REORG_BELOW_EXTEND },
  { what: 'the first branch is back when its burn view is canonical again', told: REORG_AND_BACK },
  { what: 'of two tenures at one height the later elected wins', told: TWO_TENURES },
  { what: 'of two blocks of a tenure and height the first wins, until a child of the second', told: SAME_TENURE },
  { what: 'after a tenure extend without a new burn block, height decides', told: EXTEND_ONLY },
  { what: 'without consensus hashes of burn blocks, height decides', told: REORG_NOT_NAMED },
  { what: 'a late sibling of an earlier view changes nothing', told: LATE_SIBLING },
  { what: 'a higher block of an earlier view is hidden while the later view is canonical', told: HIDDEN },
] as const;

/** How many orders of each history are tried; in the long form on SQLite every one of the Bitcoin reorg below a tenure extend. */
const ORDERS = scale === 'short' ? { sqlite: 4, postgres: 12 } : { sqlite: 300, postgres: 100 };

/** So many of a long list, evenly spread. */
const sampled = <T>(all: readonly T[], count: number): T[] =>
  all.filter((_, i) => Math.floor((i * count) / all.length) !== Math.floor(((i - 1) * count) / all.length));

onSqliteAtLeast((engine, openFresh) => {
  const emptyDatabase = reusedDatabase(openFresh);
  const openEmpty = async (): Promise<TestIndex> => openTestIndex(await emptyDatabase());
  const orders = ORDERS[engine];
  const isEveryOrderTried = scale !== 'short' && engine === 'sqlite';

  for (const { what, told } of CASES) {
    const history = new BuiltHistory(eventsOf(told), { named: told !== REORG_NOT_NAMED });

    test(`${what} (${engine})`, async () => {
      const index = await openEmpty();
      for (const [event, tip] of told) {
        await index.deliver(history.delivery(event.name));
        assert.equal(history.nameOf(await index.state()), tip, `after ${event.name}`);
      }
    });

    for (const strict of [true, false]) {
      const when = strict ? 'each event after what it names' : 'burn blocks late';
      test(`${what}, in every order, ${when} (${engine})`, async t => {
        const all = [...ordersOf(eventsOf(told), strict)];
        const [, expected] = told.at(-1) ?? [];
        const tried = isEveryOrderTried && told === REORG_BELOW_EXTEND ? all : sampled(all, orders);
        for (const order of tried) {
          const index = await openEmpty();
          await index.deliver(...history.deliveries(order));
          assert.equal(history.nameOf(await index.state()), expected, namesOf(order));
        }
        t.diagnostic(`${tried.length} of ${all.length} orders`);
      });
    }
  }

  test(`the tip is the same in one transaction or one for each event (${engine})`, async () => {
    const history = new BuiltHistory(eventsOf(REORG_AND_BACK));
    const events = eventsOf(REORG_AND_BACK);
    for (const cut of events.keys()) {
      const index = await openEmpty();
      await index.deliver(...history.deliveries(events.slice(0, cut)));
      await index.deliver(...history.deliveries(events.slice(cut)));
      assert.equal(history.nameOf(await index.state()), 's3', `cut at ${cut}`);
    }
  });

  test(`what burn blocks remember outlives restarts, and an index built anew remembers the same (${engine})`, async () => {
    const events = eventsOf(REORG_AND_BACK);
    const history = new BuiltHistory(events);
    const database = await emptyDatabase();
    for (const [event, tip] of REORG_AND_BACK) {
      const restarted = await openTestIndex(database);
      await restarted.deliver(history.delivery(event.name));
      assert.equal(history.nameOf(await restarted.state()), tip, `after ${event.name}`);
    }
    const { remembered_tips: remembered } = await (await openTestIndex(database)).dump();
    assert.equal(remembered?.length, 3, 'at B1, B2 and the last of the other branch');
    const anew = await openEmpty();
    await anew.journal.append(history.deliveries(events));
    await anew.deliver();
    assert.deepEqual((await anew.dump()).remembered_tips, remembered);
  });

  test(`hundreds of blocks on an orphaned burn view are taken back at once, and come back (${engine})`, async () => {
    const depth = engine === 'sqlite' && scale === 'all' ? 300 : 100;
    const history = new BuiltHistory(deepFork(depth));
    const index = await openEmpty();
    const burnBlocks = ["B2'", "B3'", 'B3', 'B4'];
    await index.deliver(...history.deliveries(history.events.filter(({ name }) => !burnBlocks.includes(name))));
    assert.equal(history.nameOf(await index.state()), `s${depth}`);
    await index.deliver(history.delivery("B2'"), history.delivery("B3'"));
    assert.equal(history.nameOf(await index.state()), 's1');
    assert.equal((await index.get('/extended/v2/blocks')).body.total, 1);
    await index.deliver(history.delivery('B3'), history.delivery('B4'));
    assert.equal(history.nameOf(await index.state()), `s${depth}`);
    assert.equal((await index.get('/extended/v2/blocks')).body.total, depth);
  });
});

const namesOf = (order: readonly HistoryEvent[]): string => order.map(({ name }) => name).join(' ');

/** REORG_AND_BACK with so many blocks on the first branch. */
function deepFork(depth: number): HistoryEvent[] {
  const below = eventsOf(REORG_BELOW_EXTEND).filter(({ name }) => !name.startsWith('n'));
  const more: HistoryEvent[] = [];
  for (let height = 4; height <= depth; height++)
    more.push({ kind: 'block', name: `s${height}`, on: `s${height - 1}`, election: 'B1', view: undefined });
  const back = eventsOf(REORG_AND_BACK).slice(-2);
  return [...below, ...more, ...back];
}
