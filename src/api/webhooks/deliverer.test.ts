import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BuiltBlock, ChainBuilder } from '../../../test/support/chain-builder.ts';
import { onSqliteAtLeast } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { deliverBlocks } from '../../../test/support/live-server.ts';
import { LogClient, type ToldEvent } from '../../../test/support/log-client.ts';
import { databaseWithTables } from '../../../test/support/reused-database.ts';
import { casesOf } from '../../../test/support/scale.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { accountAddress } from '../../../test/support/transaction-builder.ts';
import { fail, ok } from '../../base/lib/result.ts';
import type { Database } from '../../base/store/database.ts';
import { addressBalance } from '../records/addresses/balance.ts';
import { momentOf } from '../records/blocks/moment.ts';
import { WebhookDeliverer } from './deliverer.ts';
import { addWebhook, listWebhooks, removeWebhook, resumeWebhook } from './store.ts';
import { WEBHOOKS } from './tables.ts';
import { DEFAULT_WEBHOOK_LIMITS, newWebhook } from './webhook.ts';

const BEGINNING = '0.0000000000.4';
const HOUR = 3_600_000;

/**
 * Outcomes of an attempt: it arrives and is confirmed; it does not arrive; its confirmation is lost; the process dies
 * after it arrived.
 */
type Ending = 'confirmed' | 'refused' | 'unconfirmed' | 'killed';

class Killed extends Error {}

/** A receiver that applies each body once, and a deliverer that can be killed. */
class Stand {
  readonly client = new LogClient();
  readonly events: ToldEvent[] = [];
  /** Endings of the next attempts; after them all is confirmed. */
  endings: Ending[] = [];
  attempts = 0;
  clock = 1_700_000_000_000;
  readonly limits = { batchEvents: 3 };
  readonly #db: Database;
  readonly #beginsLater: boolean;
  #last = '';
  #deliverer: WebhookDeliverer | undefined;
  #failure: unknown;

  /** @param beginsLater the receiver does not know the blocks below, so it applies nothing */
  constructor(db: Database, beginsLater = false) {
    this.#db = db;
    this.#beginsLater = beginsLater;
  }

  async deliver(): Promise<void> {
    this.#deliverer ??= this.#open();
    await this.#deliverer.deliverDue();
    if (this.#failure !== undefined) throw this.#failure;
  }

  #open(): WebhookDeliverer {
    let isAlive = true;
    return new WebhookDeliverer({
      db: this.#db,
      index: this.#db,
      changes: { onChange: () => () => {} },
      isActive: () => isAlive,
      now: () => this.clock,
      limits: this.limits,
      post: async (_url, body) => {
        this.attempts++;
        const ending = this.endings.shift() ?? 'confirmed';
        if (ending !== 'refused') this.#receive(body);
        if (ending === 'confirmed') return ok(true);
        if (ending !== 'killed') return fail(ending);
        isAlive = false;
        this.#deliverer = undefined;
        throw new Killed();
      },
      onFailure: error => {
        if (!(error instanceof Killed)) this.#failure ??= error;
      },
    });
  }

  /** Applies a body, unless it is the last one again. */
  #receive(body: string): void {
    if (body === this.#last) return;
    this.#last = body;
    const { events } = JSON.parse(body) as { events: ToldEvent[] };
    assert.ok(events.length > 0 && events.length <= this.limits.batchEvents);
    for (const event of events) {
      this.events.push(event);
      if (event.event !== 'block-end' && !this.#beginsLater) this.client.apply(event);
    }
  }
}

async function addHook(db: Database, topics: readonly string[], after: string | undefined): Promise<string> {
  await db.create([WEBHOOKS]);
  const row = newWebhook(
    { url: 'https://example.com/hook', topics, after },
    () => undefined,
    DEFAULT_WEBHOOK_LIMITS,
    0,
  );
  await addWebhook(db, row, DEFAULT_WEBHOOK_LIMITS.maxHooks);
  return row.id;
}

const balanceAt = (db: Database, principal: string, height: number) =>
  db.read(async queries =>
    addressBalance(queries, principal, await momentOf(queries, { until_block: String(height), unanchored: false })),
  );

/** The chain's change before a check: a number of blocks on a fork that begins at a depth. */
const step = fc.record({
  depth: fc.integer({ min: 0, max: 3 }),
  blocks: fc.integer({ min: 0, max: 4 }),
  endings: fc.array(fc.constantFrom<Ending>('confirmed', 'refused', 'unconfirmed', 'killed'), { maxLength: 3 }),
});

onSqliteAtLeast((engine, openFresh) => {
  test(`whatever forks, receivers and kills do, what was received in order is the canonical chain (${engine})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
        const { database, cleanup } = await openFresh();
        try {
          const index = await openTestIndex(database);
          const principal = accountAddress(10);
          await addHook(database, ['block', `principal:${principal}`, `balance:${principal}`], BEGINNING);
          const stand = new Stand(database);
          const chain = new ChainBuilder();
          let canonical: BuiltBlock[] = await deliverBlocks(index, chain, 1);
          for (const { depth, blocks, endings } of steps) {
            const base = canonical.slice(0, Math.max(1, canonical.length - depth));
            const fork = [...base];
            // One more than it removes: the higher fork is the canonical one.
            for (let i = 0; i < blocks + (canonical.length - base.length) + (depth > 0 ? 1 : 0); i++) {
              const txs = [chain.coinbase(), chain.transfer({ from: 10, amount: 5 })];
              const parent = fork.at(-1);
              fork.push(chain.block(parent ? { parent, txs } : { txs }));
            }
            await index.deliver(...fork.slice(base.length).map(({ delivery }) => delivery));
            canonical = fork;
            stand.endings = [...endings];
            await stand.deliver();
            stand.clock += HOUR;
          }
          stand.endings = [];
          await stand.deliver();
          assert.deepEqual(
            stand.client.hashes,
            canonical.map(({ indexHash }) => indexHash),
          );
          if (canonical.length > 1)
            assert.deepEqual(stand.client.balance(principal), await balanceAt(database, principal, canonical.length));
        } finally {
          await cleanup();
        }
      }),
      { numRuns: casesOf('PROPERTY_RUNS', engine) },
    );
  });

  test(`a body that was not confirmed is sent again as it was, then what takes it back (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const [first, second] = await deliverBlocks(index, chain, 2);
    await addHook(database, ['block'], BEGINNING);
    const stand = new Stand(database);
    stand.endings = ['unconfirmed'];
    await stand.deliver();
    await deliverBlocks(index, chain, 2, first);
    stand.clock += HOUR;
    await stand.deliver();
    assert.deepEqual(
      stand.events.map(({ event, data }) => [event, data.block?.height ?? data.removed[0].index_hash]),
      [
        ['block', 1],
        ['block', 2],
        ['rollback', second?.indexHash],
        ['block', 2],
        ['block', 3],
      ],
    );
  });

  test(`after failures pauses grow from a second to an hour; after a day it is parked until an operator resumes it (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    await deliverBlocks(index, new ChainBuilder(), 1);
    const id = await addHook(database, ['block'], BEGINNING);
    const stand = new Stand(database);
    const start = stand.clock;
    const pauses: number[] = [];
    let hook = (await listWebhooks(database))[0];
    for (; hook?.state === 'active'; [hook] = await listWebhooks(database)) {
      stand.clock = Math.max(stand.clock, hook.run_after);
      stand.endings = ['refused'];
      const before = stand.attempts;
      await stand.deliver();
      assert.equal(stand.attempts, before + 1);
      const [{ run_after = 0 } = {}] = await listWebhooks(database);
      pauses.push((run_after - stand.clock) / 1000);
      stand.clock = run_after - 1;
      await stand.deliver();
      assert.equal(stand.attempts, before + 1, 'it is sent too soon');
      stand.clock++;
    }
    assert.deepEqual(pauses.slice(0, 13), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600]);
    assert.ok(pauses.slice(12).every(pause => pause === 3600));
    const parkedAfter = stand.clock - HOUR - start;
    assert.ok(parkedAfter >= 24 * HOUR && parkedAfter < 25 * HOUR, `parked after ${parkedAfter} ms`);
    assert.equal(hook?.error, 'refused');
    stand.clock += 100 * HOUR;
    const { attempts } = stand;
    await stand.deliver();
    assert.equal(stand.attempts, attempts);
    await resumeWebhook(database, id);
    await stand.deliver();
    const [resumed] = await listWebhooks(database);
    assert.deepEqual([resumed?.state, resumed?.failures, resumed?.error], ['active', 0, null]);
    assert.equal(stand.client.height, 1);
  });
});

onSqliteAtLeast((engine, openFresh) => {
  test(`without an id to begin after, it is told what comes after the first look (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const [, last] = await deliverBlocks(index, chain, 2);
    const id = await addHook(database, ['block'], undefined);
    const stand = new Stand(database, true);
    await stand.deliver();
    assert.equal(stand.attempts, 0);
    await deliverBlocks(index, chain, 1, last);
    await stand.deliver();
    assert.deepEqual(
      stand.events.map(({ event, data }) => [event, data.block.height]),
      [['block', 3]],
    );
    await removeWebhook(database, id);
    assert.deepEqual(await listWebhooks(database), []);
    await assert.rejects(removeWebhook(database, id), /there is no webhook/);
  });

  test(`an index that is behind the one that was read is not taken for another chain (${engine})`, async t => {
    const database = await databaseWithTables(openFresh, t);
    const index = await openTestIndex(database);
    const chain = new ChainBuilder();
    const [first] = await deliverBlocks(index, chain, 1);
    await addHook(database, ['block'], BEGINNING);
    const stand = new Stand(database, true);
    await stand.deliver();
    // As read from another replica, which has more.
    await database.write(tx => tx.run('UPDATE webhooks SET place = ?, position = position + 1', ['2.0123456789.4']));
    await stand.deliver();
    assert.deepEqual(
      stand.events.map(({ event }) => event),
      ['block'],
    );
    await deliverBlocks(index, chain, 1, first);
    await stand.deliver();
    assert.deepEqual(
      stand.events.map(({ event }) => event),
      ['block', 'gap'],
    );
  });
});
