import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryEngine } from '../../../test/support/engines.ts';
import fc from '../../../test/support/fast-check.ts';
import { bytes, count, MEMBERS, NOTES, note, PAIRS } from '../../../test/support/tables.ts';
import type { DatabaseTransaction, SqlValue } from './database.ts';

onEveryEngine((engine, openFresh) => {
  test('the database says which engine it is', async t => {
    const { database } = await openFresh(t);
    assert.equal(database.engine, engine);
  });

  test('create makes what is missing and leaves what is there', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(tx => tx.insertMany(NOTES, [note(1)]));
    await database.create([NOTES, PAIRS]);
    assert.equal(await count(database, 'notes'), 1);
    assert.equal(await count(database, 'pairs'), 0);
  });

  test('every kind of value comes back as it went in, in plain rows', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const rows: SqlValue[][] = [
      [0, '', bytes(), null, null, null],
      [
        Number.MAX_SAFE_INTEGER,
        'tab\tline\nback\\slash "quote" {a,NULL}',
        bytes(0, 255, 92, 120),
        -1,
        'NULL',
        bytes(0),
      ],
      [-Number.MAX_SAFE_INTEGER, '\\N \\. \u{1F600} é \r\n', bytes(1), Number.MIN_SAFE_INTEGER, '', bytes()],
      [2 ** 32, '\ud800 is no character', bytes(10), 2 ** 31, '{"a":"\\u0000"}', bytes(...Array(300).keys())],
    ];
    const sorted = [...rows].sort((a, b) => Number(a[0]) - Number(b[0]));
    const names = Object.keys(NOTES.columns);
    // Neither engine stores half of a surrogate pair.
    const expected = sorted.map(row =>
      Object.fromEntries(names.map((name, i) => [name, row[i] === rows[3]?.[1] ? '\ufffd is no character' : row[i]])),
    );
    for (const method of ['insertMany', 'upsertMany', 'run'] as const) {
      await database.write(async tx => {
        await tx.run('DELETE FROM notes');
        if (method !== 'run') await tx[method](NOTES, rows);
        else for (const row of rows) await tx.run('INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?)', row);
      });
      const found = await database.read(q => q.all('SELECT * FROM notes ORDER BY id'));
      assert.deepStrictEqual(found, expected, method);
    }
  });

  test('any rows come back as they went in', async t => {
    const { database } = await openFresh(t);
    await database.create([PAIRS]);
    const text = fc.string({ unit: 'grapheme' }).filter(s => !s.includes('\0'));
    const pair = fc.tuple(text, fc.uint8Array(), fc.maxSafeInteger());
    const rowsOf = fc.uniqueArray(pair, { selector: ([who, what]) => JSON.stringify([who, [...what]]) });
    const sqlOrder = 'SELECT who, what, count FROM pairs ORDER BY who, what';
    await fc.assert(
      fc.asyncProperty(rowsOf, fc.boolean(), async (rows, upsert) => {
        await database.write(async tx => {
          await tx.run('DELETE FROM pairs');
          await (upsert ? tx.upsertMany(PAIRS, rows) : tx.insertMany(PAIRS, rows));
        });
        const byBytes = ([who, what]: (typeof rows)[number]) => [Buffer.from(who), Buffer.from(what)] as const;
        const expected = [...rows].sort((a, b) => {
          const [whoA, whatA] = byBytes(a);
          const [whoB, whatB] = byBytes(b);
          return Buffer.compare(whoA, whoB) || Buffer.compare(whatA, whatB);
        });
        const found = await database.read(q => q.all<{ who: string; what: Uint8Array; count: number }>(sqlOrder));
        assert.deepStrictEqual(
          found.map(row => [row.who, [...row.what], row.count]),
          expected.map(([who, what, n]) => [who, [...what], n + 0]),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('get gives the first row or undefined, all gives a list', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(tx => tx.insertMany(NOTES, [note(2), note(1), note(3)]));
    await database.read(async q => {
      assert.deepEqual(await q.get('SELECT id FROM notes WHERE id > ? ORDER BY id', [1]), { id: 2 });
      assert.equal(await q.get('SELECT id FROM notes WHERE id = ?', [9]), undefined);
      assert.deepEqual(await q.all('SELECT id FROM notes WHERE id = ?', [9]), []);
      assert.deepEqual(await q.all('SELECT id FROM notes ORDER BY id DESC LIMIT ? OFFSET ?', [2, 1]), [
        { id: 2 },
        { id: 1 },
      ]);
    });
  });

  test('counts, sums, maxima and truth values are numbers', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(tx => tx.insertMany(NOTES, [note(7), note(4)]));
    const row = await database.read(q =>
      q.get(
        'SELECT count(*) AS n, sum(id) AS total, max(id) AS top, max(id) > 5 AS high, max(extra_int) AS none FROM notes',
      ),
    );
    assert.deepStrictEqual(row, { n: 2, total: 11, top: 7, high: 1, none: null });
  });

  test('bytes of many rows come as one text, in lower-case hex', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const notes = [note(1, 'a, c'), note(0xab, 'b')].map(row => [...row.slice(0, 5), row[2] ?? null]);
    await database.write(tx => tx.insertMany(NOTES, [...notes, note(3)]));
    const row = await database.read(q =>
      q.get(
        `SELECT string_agg(encode(held, 'hex') || ' ' || title, '\n') AS had
           FROM (SELECT title, extra_bytes AS held FROM notes WHERE extra_bytes IS NOT NULL ORDER BY id) AS one`,
      ),
    );
    assert.deepStrictEqual(row, { had: '0101 a, c\nab01 b' });
  });

  test('a whole number stays whole as a parameter', async t => {
    const { database } = await openFresh(t);
    const row = await database.read(q => q.get('SELECT CAST(? AS bigint) / 2 AS half', [5]));
    assert.deepStrictEqual(row, { half: 2 });
  });

  test('an integer of a result that JavaScript cannot hold is an error, not another number', async t => {
    const { database } = await openFresh(t);
    const read = database.read(q => q.get('SELECT CAST(9007199254740993 AS bigint) AS big'));
    await assert.rejects(read, { name: 'FatalDatabaseError', code: 'INVALID_VALUE' });
  });

  test('run tells how many rows it changed', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(async tx => {
      await tx.insertMany(NOTES, [note(1), note(2), note(3)]);
      assert.equal(await tx.run('UPDATE notes SET title = ? WHERE id < ?', ['x', 3]), 2);
      assert.equal(await tx.run('DELETE FROM notes WHERE id = ?', [9]), 0);
      assert.equal(await tx.run('DELETE FROM notes'), 3);
    });
  });

  test('upsertMany replaces every column of the rows that exist and adds the others', async t => {
    const { database } = await openFresh(t);
    await database.create([PAIRS, MEMBERS]);
    await database.write(async tx => {
      await tx.insertMany(PAIRS, [
        ['a', bytes(1), 1],
        ['a', bytes(2), 2],
      ]);
      await tx.upsertMany(PAIRS, [
        ['a', bytes(2), 20],
        ['b', bytes(2), 30],
      ]);
      // The key is the whole row: there is nothing to replace.
      await tx.upsertMany(MEMBERS, [
        [1, 'x'],
        [2, 'x'],
      ]);
      await tx.upsertMany(MEMBERS, [
        [2, 'x'],
        [3, 'x'],
      ]);
    });
    const pairs = await database.read(q => q.all('SELECT who, count FROM pairs ORDER BY count'));
    assert.deepEqual(pairs, [
      { who: 'a', count: 1 },
      { who: 'a', count: 20 },
      { who: 'b', count: 30 },
    ]);
    assert.equal(await count(database, 'members'), 3);
  });

  test('a key that occurs twice in one upsertMany is refused', async t => {
    const { database } = await openFresh(t);
    await database.create([PAIRS]);
    const twice = database.write(tx =>
      tx.upsertMany(PAIRS, [
        ['a', bytes(1), 1],
        ['a', bytes(1), 2],
      ]),
    );
    await assert.rejects(twice, { name: 'FatalDatabaseError', code: 'MISUSE' });
  });

  test('deleteMany deletes the rows with these keys and no others', async t => {
    const { database } = await openFresh(t);
    await database.create([PAIRS, NOTES]);
    await database.write(async tx => {
      await tx.insertMany(PAIRS, [
        ['a', bytes(1), 1],
        ['a', bytes(2), 2],
        ['b', bytes(1), 3],
      ]);
      await tx.deleteMany(PAIRS, [
        ['a', bytes(2)],
        ['b', bytes(1)],
        ['c', bytes(9)],
      ]);
      await tx.insertMany(NOTES, [note(1), note(2)]);
      await tx.deleteMany(NOTES, [[1]]);
    });
    assert.deepEqual(await database.read(q => q.all('SELECT who, count FROM pairs')), [{ who: 'a', count: 1 }]);
    assert.deepEqual(await database.read(q => q.all('SELECT id FROM notes')), [{ id: 2 }]);
  });

  test('empty lists change nothing', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    await database.write(async tx => {
      await tx.insertMany(NOTES, []);
      await tx.upsertMany(NOTES, []);
      await tx.deleteMany(NOTES, []);
    });
    assert.equal(await count(database, 'notes'), 0);
  });

  test('ten thousand rows go in, are replaced and go out in one call each', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const rows = Array.from({ length: 10_000 }, (_, id) => note(id, `${id} `.repeat(100)));
    await database.write(tx => tx.insertMany(NOTES, rows));
    assert.equal(await count(database, 'notes'), 10_000);
    await database.write(tx =>
      tx.upsertMany(
        NOTES,
        rows.map(([id]) => note(Number(id), 'new')),
      ),
    );
    const changed = await database.read(q => q.get('SELECT count(*) AS n FROM notes WHERE title = ?', ['new']));
    assert.deepEqual(changed, { n: 10_000 });
    await database.write(tx =>
      tx.deleteMany(
        NOTES,
        rows.map(([id]) => [id ?? null]),
      ),
    );
    assert.equal(await count(database, 'notes'), 0);
  });

  test('text is ordered by its bytes', async t => {
    const { database } = await openFresh(t);
    await database.create([MEMBERS]);
    await database.write(tx =>
      tx.insertMany(
        MEMBERS,
        [...'b_A-.aBé'].map(who => [1, who]),
      ),
    );
    const rows = await database.read(q => q.all<{ who: string }>('SELECT who FROM members ORDER BY who'));
    assert.equal(rows.map(row => row.who).join(''), '-.AB_abé');
  });

  test('values that the engines would not store alike are refused by every method', async t => {
    const { database } = await openFresh(t);
    await database.create([PAIRS]);
    const wrong: [string, unknown, unknown, unknown][] = [
      ['NUL in text', 'a\0b', bytes(1), 1],
      ['undefined', 'a', bytes(1), undefined],
      ['a fraction', 'a', bytes(1), 1.5],
      ['an unsafe integer', 'a', bytes(1), 2 ** 53],
      ['not a number', 'a', bytes(1), Number.NaN],
      ['a boolean', 'a', bytes(1), true],
      ['a bigint', 'a', bytes(1), 1n],
      ['null in a column that is never null', 'a', bytes(1), null],
      ['text in an integer column', 'a', bytes(1), '1'],
      ['a number in a text column', 5, bytes(1), 1],
      ['text in a bytes column', 'a', 'b', 1],
    ];
    for (const [what, ...values] of wrong) {
      const row = values as SqlValue[];
      const refused = { name: 'FatalDatabaseError', code: 'INVALID_VALUE' };
      await assert.rejects(
        database.write(tx => tx.insertMany(PAIRS, [row])),
        refused,
        what,
      );
      await assert.rejects(
        database.write(tx => tx.upsertMany(PAIRS, [row])),
        refused,
        what,
      );
    }
    for (const value of ['a\0b', undefined, 1.5, 2 ** 53, true, 1n] as SqlValue[]) {
      const refused = { code: 'INVALID_VALUE' };
      await assert.rejects(
        database.write(tx => tx.run('DELETE FROM pairs WHERE who = ?', [value])),
        refused,
      );
      await assert.rejects(
        database.read(q => q.all('SELECT who FROM pairs WHERE who = ?', [value])),
        refused,
      );
      await assert.rejects(
        database.read(q => q.get('SELECT who FROM pairs WHERE who = ?', [value])),
        refused,
      );
      await assert.rejects(
        database.write(tx => tx.deleteMany(PAIRS, [[value, bytes(1)]])),
        refused,
      );
    }
    await assert.rejects(
      database.write(tx => tx.insertMany(PAIRS, [['a', bytes(1)]])),
      { code: 'INVALID_VALUE' },
    );
    assert.equal(await count(database, 'pairs'), 0);
  });

  test('errors of the engine have a class, a code, a hint and their cause', async t => {
    const { database } = await openFresh(t);
    await database.create([NOTES]);
    const cases: [string, string, (tx: DatabaseTransaction) => Promise<unknown>][] = [
      ['an unknown table', 'SCHEMA', tx => tx.all('SELECT * FROM nowhere')],
      ['wrong syntax', 'SCHEMA', tx => tx.run('SELEC 1')],
      ['a key that exists', 'CONSTRAINT', tx => tx.insertMany(NOTES, [note(1), note(1)])],
      ['a missing value', 'CONSTRAINT', tx => tx.run('INSERT INTO notes (id) VALUES (1)')],
    ];
    for (const [what, code, call] of cases) {
      await assert.rejects(
        database.write(call),
        (error: Error & { code?: string; hint?: string }) => {
          assert.deepEqual([error.name, error.code], ['FatalDatabaseError', code], what);
          assert.ok(error.hint && error.cause instanceof Error, what);
          return true;
        },
        what,
      );
    }
    assert.equal(await count(database, 'notes'), 0);
  });
});
