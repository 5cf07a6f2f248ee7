import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import type { Database, DatabaseTransaction } from '../../base/store/database.ts';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { openDatabase } from '../../base/store/open.ts';
import type { Delivery } from './entries.ts';
import { Journal, type JournalLoss } from './journal.ts';

const delivery = (path: string, text: string, receivedAt = 1): Delivery => ({
  path,
  receivedAt,
  body: Buffer.from(text),
});

/** A database whose next commit succeeds, while its caller gets the error of a broken connection. */
class CutOffDatabase implements Database {
  readonly engine: Database['engine'];
  readonly #db: Database;
  cutOff = false;

  constructor(db: Database) {
    this.#db = db;
    this.engine = db.engine;
  }

  create: Database['create'] = tables => this.#db.create(tables);
  read: Database['read'] = work => this.#db.read(work);
  reclaim: Database['reclaim'] = table => this.#db.reclaim(table);
  close: Database['close'] = () => this.#db.close();
  write: Database['write'] = async work => {
    const result = await this.#db.write(work);
    if (!this.cutOff) return result;
    this.cutOff = false;
    throw new RetryableDatabaseError('COMMIT_UNKNOWN', 'the connection broke');
  };
}

/** Counts how often a transaction waits: calls that it makes before the one before has its result are one wait. */
function countWaits(database: Database): { readonly counted: Database; readonly waits: () => number } {
  let waits = 0;
  let running = 0;
  const counting = (tx: DatabaseTransaction): DatabaseTransaction =>
    new Proxy(tx, {
      get: (target, name) => {
        const call = Reflect.get(target, name);
        if (typeof call !== 'function') return call;
        return (...args: unknown[]) => {
          if (running++ === 0) waits++;
          return Promise.resolve(Reflect.apply(call, target, args)).finally(() => running--);
        };
      },
    });
  const write: Database['write'] = work => database.write(tx => work(counting(tx)));
  return { counted: { ...database, write }, waits: () => waits };
}

async function contents(journal: Journal): Promise<string[]> {
  const found: string[] = [];
  for await (const { seq, path, body } of journal.entries()) found.push(`${seq} ${path} ${Buffer.from(body)}`);
  return found;
}

onEveryEngine((engine, openFresh) => {
  test(`entries that were stored and are gone are told of, once (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const losses: JournalLoss[] = [];
    const journal = new Journal(database, { onLoss: loss => losses.push(loss) });
    for (const text of ['1', '2', '3', '4']) await journal.accept(delivery('/new_block', text));
    await new Journal(database).accept(delivery('/new_block', 'by another process'));
    await journal.accept(delivery('/new_block', '6'));
    assert.deepEqual(losses, []);
    // As a replica has it that was behind.
    const cut = (seq: number) => database.write(tx => tx.run('DELETE FROM journal WHERE seq > ?', [seq]));
    await cut(3);
    await journal.accept(delivery('/new_block', '7'));
    assert.deepEqual(losses, [{ stored: 6, length: 3 }]);
    await journal.accept(delivery('/new_block', '8'));
    assert.equal(losses.length, 1);
    await cut(4);
    for (const text of ['a', 'b']) await new Journal(database).accept(delivery('/new_block', text));
    await journal.accept(delivery('/new_block', '9'));
    assert.deepEqual(losses.slice(1), [{ stored: 5, length: 6 }]);
  });

  test(`an event whose commit was cut off is stored once when it is delivered again, and so is the next (${engine})`, async t => {
    for (const path of ['/new_block', '/new_mempool_tx']) {
      const { database } = await openFresh(t);
      await Journal.create(database);
      const cut = new CutOffDatabase(database);
      const journal = new Journal(cut);
      await journal.accept(delivery(path, 'first'));
      cut.cutOff = true;
      await assert.rejects(journal.accept(delivery(path, 'second', 2)), { code: 'COMMIT_UNKNOWN' });
      assert.equal(await journal.length(), 2);
      assert.equal(await journal.accept(delivery(path, 'second', 3)), undefined);
      assert.equal((await journal.accept(delivery(path, 'third', 4)))?.seq, 3);
      assert.equal(await journal.length(), 3);
      assert.deepEqual(await contents(journal), [`1 ${path} first`, `2 ${path} second`, `3 ${path} third`]);
    }
  });

  test(`news delivered again after a restart is stored once; the same news later is news (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    await new Journal(database).accept(delivery('/new_mempool_tx', 'a'));
    const restarted = new Journal(database);
    assert.equal(await restarted.accept(delivery('/new_mempool_tx', 'a', 2)), undefined);
    assert.equal((await restarted.accept(delivery('/drop_mempool_tx', 'a', 3)))?.seq, 2);
    assert.equal((await restarted.accept(delivery('/new_mempool_tx', 'a', 4)))?.seq, 3);
  });

  test(`the journal waits for the database once to know a repeated event, and twice to store a new one (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const { counted, waits } = countWaits(database);
    const journal = new Journal(counted);
    const waitsFor = async (text: string) => {
      const before = waits();
      await journal.accept(delivery('/new_block', text));
      return waits() - before;
    };
    assert.equal(await waitsFor('a'), 2);
    assert.equal(await waitsFor('b'), 2);
    assert.equal(await waitsFor('a'), 1);
    await journal.beginLoads(['archive.tsv']);
    assert.equal(await waitsFor('a'), 1);
  });

  test(`an entry that another process appended is not numbered over (${engine})`, async t => {
    const { database } = await openFresh(t);
    await Journal.create(database);
    const [one, other] = [new Journal(database), new Journal(database)];
    await one.accept(delivery('/new_block', 'a'));
    await other.accept(delivery('/new_block', 'b'));
    assert.equal((await one.accept(delivery('/new_block', 'c')))?.seq, 3);
  });

  test(`processes that append at once number their entries one after the other (${engine})`, async t => {
    if (engine === 'sqlite') return t.skip('a directory has one writer');
    const { database, location } = await openFresh(t);
    await Journal.create(database);
    const databases = [database, openDatabase(location), openDatabase(location)];
    t.after(() => Promise.all(databases.map(each => each.close())).then(() => undefined));
    const journals = databases.map(each => new Journal(each));
    const texts = Array.from({ length: 60 }, (_, i) => `event ${i}`);
    // Each event comes to two processes, as when a node that got no response from one turns to another.
    await Promise.all(
      texts.flatMap((text, i) =>
        [0, 1].map(offset => journals[(i + offset) % 3]?.accept(delivery('/new_block', text, i * 2 + offset))),
      ),
    );
    const stored = await contents(journals[0] as Journal);
    assert.deepEqual(
      stored.map(line => Number(line.split(' ')[0])),
      texts.map((_, i) => i + 1),
    );
    assert.deepEqual(stored.map(line => line.split('/new_block ')[1]).sort(), [...texts].sort());
  });
});
