import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { bytes, count, MEMBERS, NOTES, note, PAIRS } from '../../../test/support/tables.ts';
import type { DatabaseTransaction } from './database.ts';
import { openDatabase } from './open.ts';

onEveryEngine((_engine, openFresh) => {
  test('what a failed write did is gone', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES, PAIRS]);
    await database.write(tx => tx.insertMany(NOTES, [note(1)]));
    const failed = database.write(async tx => {
      await tx.insertMany(NOTES, [note(2)]);
      await tx.upsertMany(PAIRS, [['a', bytes(1), 1]]);
      await tx.deleteMany(NOTES, [[1]]);
      throw new RangeError('changed my mind');
    });
    await assert.rejects(failed, RangeError);
    assert.deepEqual(await database.read(q => q.all('SELECT id FROM notes')), [{ id: 1 }]);
    assert.equal(await count(database, 'pairs'), 0);
    await database.write(tx => tx.insertMany(NOTES, [note(3)]));
    assert.equal(await count(database, 'notes'), 2);
  });

  test('a write whose call failed is not committed, even if it swallowed the error', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    for (const bad of [note(1), [2, 'a\0b', bytes(), null, null, null]]) {
      const swallowed = database.write(async tx => {
        await tx.insertMany(NOTES, [note(1)]);
        await tx.insertMany(NOTES, [bad]).catch(() => undefined);
        await tx.insertMany(NOTES, [note(5)]).catch(() => undefined);
      });
      await assert.rejects(swallowed, { name: 'FatalDatabaseError' });
      assert.equal(await count(database, 'notes'), 0);
    }
  });

  test('a write that did not await its calls commits nothing', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const left: Promise<unknown>[] = [];
    const hasty = database.write(async tx => {
      for (let id = 0; id < 5; id++) left.push(tx.insertMany(NOTES, [note(id)]));
    });
    await assert.rejects(hasty, { name: 'FatalDatabaseError', code: 'MISUSE' });
    await Promise.allSettled(left);
    assert.equal(await count(database, 'notes'), 0);
  });

  test('a call after the end of its transaction is refused', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    let kept: DatabaseTransaction | undefined;
    await database.write(async tx => {
      kept = tx;
    });
    await assert.rejects(async () => kept?.insertMany(NOTES, [note(1)]), { code: 'MISUSE' });
    assert.equal(await count(database, 'notes'), 0);
  });

  test('the calls of one write may overlap', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES, PAIRS, MEMBERS]);
    await database.write(async tx => {
      await Promise.all([
        tx.insertMany(NOTES, [note(1), note(2)]),
        tx.upsertMany(PAIRS, [['a', bytes(1), 1]]),
        tx.insertMany(MEMBERS, [[1, 'x']]),
        tx.run('UPDATE notes SET title = ?', ['late']),
      ]);
      assert.deepEqual(await tx.all('SELECT id, title FROM notes ORDER BY id'), [
        { id: 1, title: 'late' },
        { id: 2, title: 'late' },
      ]);
    });
    assert.equal(await count(database, 'members'), 1);
  });

  test('writers run one after the other, in the order of their calls', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(tx => tx.insertMany(NOTES, [[1, '', bytes(), 0, null, null]]));
    const order: number[] = [];
    const increments = Array.from({ length: 20 }, (_, i) =>
      database.write(async tx => {
        const row = await tx.get<{ extra_int: number }>('SELECT extra_int FROM notes WHERE id = 1');
        await new Promise(resolve => setImmediate(resolve));
        await tx.run('UPDATE notes SET extra_int = ? WHERE id = 1', [(row?.extra_int ?? 0) + 1]);
        order.push(i);
        if (i % 5 === 4) throw new Error('every fifth fails');
      }),
    );
    await Promise.allSettled(increments);
    assert.deepEqual(order, [...Array(20).keys()]);
    assert.deepEqual(await database.read(q => q.get('SELECT extra_int FROM notes')), { extra_int: 16 });
  });

  test('a read sees one snapshot while writes commit, and the next read sees them', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(tx => tx.insertMany(NOTES, [note(1)]));
    const ids = 'SELECT id FROM notes ORDER BY id';
    await database.read(async q => {
      assert.deepEqual(await q.all(ids), [{ id: 1 }]);
      await database.write(tx => tx.insertMany(NOTES, [note(2)]));
      assert.deepEqual(await q.all(ids), [{ id: 1 }]);
      assert.equal(await count(database, 'notes'), 2);
      await database.write(tx => tx.deleteMany(NOTES, [[1]]));
      assert.deepEqual(await q.all(ids), [{ id: 1 }]);
    });
    assert.deepEqual(await database.read(q => q.all(ids)), [{ id: 2 }]);
  });

  test('a read sees nothing of a write that has not committed', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(async tx => {
      await tx.insertMany(NOTES, [note(1)]);
      assert.equal(await count(database, 'notes'), 0);
    });
    assert.equal(await count(database, 'notes'), 1);
  });

  test('more reads than connections all get their result', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(tx => tx.insertMany(NOTES, [note(1)]));
    const reads = Array.from({ length: 40 }, () =>
      database.read(async q => {
        const first = await q.get('SELECT id FROM notes');
        await new Promise(resolve => setImmediate(resolve));
        return [first, ...(await Promise.all([q.get('SELECT id FROM notes'), q.get('SELECT title FROM notes')]))];
      }),
    );
    for (const found of await Promise.all(reads)) assert.deepEqual(found, [{ id: 1 }, { id: 1 }, { title: 'note 1' }]);
  });

  test('a read cannot write', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const sneaky = database.read(q => q.all('DELETE FROM notes'));
    await assert.rejects(sneaky, { name: 'FatalDatabaseError', code: 'READ_ONLY' });
  });

  test('a read that failed leaves its connection usable', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    for (let i = 0; i < 15; i++) {
      await assert.rejects(
        database.read(q => q.all('SELECT nothing FROM notes')),
        { code: 'SCHEMA' },
      );
      await assert.rejects(
        database.read(async () => Promise.reject(new RangeError())),
        RangeError,
      );
      assert.equal(await count(database, 'notes'), 0);
    }
  });

  test('what was written is there after a restart', async t => {
    const { database, location } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(tx => tx.insertMany(NOTES, [note(1)]));
    await database.close();
    const again = openDatabase(location);
    t.after(() => again.close());
    assert.equal(await count(again, 'notes'), 1);
  });

  test('close waits for the calls that run and refuses later ones', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const writing = database.write(tx => tx.insertMany(NOTES, [note(1)]));
    const reading = database.read(async q => {
      await new Promise(resolve => setTimeout(resolve, 20));
      return q.all('SELECT id FROM notes WHERE id > 100');
    });
    await Promise.all([database.close(), database.close()]);
    await writing;
    assert.deepEqual(await reading, []);
    await assert.rejects(count(database, 'notes'), { name: 'FatalDatabaseError', code: 'CLOSED' });
    await assert.rejects(
      database.write(async () => undefined),
      { code: 'CLOSED' },
    );
  });
});
