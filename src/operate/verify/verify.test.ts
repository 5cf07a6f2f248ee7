import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { columnsRead, notingStatements } from '../../../test/support/columns-read.ts';
import { corruptions, LOSSES } from '../../../test/support/corruptions.ts';
import { type Fresh, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { openTestIndex } from '../../../test/support/test-index.ts';
import { TODAYS_CHAIN } from '../../../test/support/todays-chain.ts';
import { UNVERIFIED } from '../../../test/support/unverified-columns.ts';
import type { Database, DatabaseTransaction } from '../../base/store/database.ts';
import { ALL_LATE_BLOCKS } from '../../index/blocks/tables.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { IndexMismatch } from '../../ingest/indexer/chain-id.ts';
import type { ListKind } from '../../ingest/indexer/tables.ts';
import { CHECKS } from './checks.ts';
import { type CheckOutcome, verifyIndex } from './verify.ts';

const SAMPLE_CHAIN = join(import.meta.dirname, '../../../examples/sample-chain.tsv.gz');

onSqliteAtLeast((engine, openFresh) => {
  let fresh: Fresh;
  /** With the kinds of lists that the sample chain lacks. */
  let todays: Fresh;
  before(async () => {
    fresh = await openFresh();
    await (await openTestIndex(fresh.database)).replay(SAMPLE_CHAIN);
    todays = await openFresh();
    await (await openTestIndex(todays.database)).replay(TODAYS_CHAIN);
  });
  after(() => Promise.all([fresh.cleanup(), todays.cleanup()]));

  test(`the index of the sample chain is sound (${engine})`, async () => {
    const outcomes = await outcomesOf(fresh.database);
    assert.deepEqual(
      outcomes.flatMap(({ findings }) => findings),
      [],
    );
    assert.deepEqual(
      outcomes.map(({ check }) => check),
      CHECKS,
    );
  });

  for (const [check, what, ...statements] of corruptions(engine)) {
    test(`the check "${check}" tells when ${what} (${engine})`, async () => {
      const { total, findings } = await afterCorruption(fresh.database, check, async tx => {
        let changed = 0;
        for (const sql of statements) changed += await tx.run(sql);
        assert.ok(changed > 0, 'nothing was changed');
      });
      assert.ok(total > 0, 'nothing was found');
      for (const finding of findings)
        assert.match(finding.hint, check === 'journal' ? /backup/ : /stacks-index reindex/);
    });
  }

  test(`the check "lists" tells of every kind when a length is wrong (${engine})`, async () => {
    const present = await fresh.database.read(queries =>
      queries.all<{ kind: number }>('SELECT DISTINCT kind FROM lists'),
    );
    assert.ok(present.length > 12, `only ${present.length} of ${INDEX_SCHEMA.lists.length} kinds have entries`);
    const { total } = await afterCorruption(fresh.database, 'lists', tx =>
      tx.run(
        'UPDATE lists SET length = length + 1 WHERE id = (SELECT min(id) FROM lists other WHERE other.kind = lists.kind)',
      ),
    );
    assert.equal(total, present.length);
  });

  for (const { what, lose } of LOSSES) {
    test(`the checks that recount lists by name tell when one of a kind ${what} (${engine})`, async () => {
      const told = new Set<number>();
      for (const { name, recounts = [] } of CHECKS) {
        const named = recounts.filter(kind => kind.named);
        for (const { database } of named.length > 0 ? [fresh, todays] : []) {
          const { findings } = await afterCorruption(database, name, tx => lose(named, tx), 100);
          for (const finding of findings) told.add(Number(/^lists: kind (\d+) /.exec(finding.what)?.[1]));
        }
      }
      assert.deepEqual(
        INDEX_SCHEMA.lists.filter(({ named, code }) => named && !told.has(code)).map(({ code }) => code),
        [],
        'codes of lists of which no check tells, or that no chain has',
      );
    });

    test(`the checks that recount the other lists tell when one ${what} (${engine})`, async () => {
      const told = new Set<ListKind>();
      for (const { name, recounts = [] } of CHECKS)
        for (const kind of recounts.filter(({ named }) => !named))
          for (const { database } of [fresh, todays])
            if ((await afterCorruption(database, name, tx => lose([kind], tx))).total > 0) told.add(kind);
      const untold = INDEX_SCHEMA.lists.filter(kind => !kind.named && !told.has(kind));
      assert.deepEqual(
        untold,
        [ALL_LATE_BLOCKS],
        'neither chain has late blocks: see operate/verify/checks/canonical-chain.test.ts',
      );
    });
  }

  // Both engines run the same statements, but only SQLite reports which columns a statement reads.
  if (engine === 'sqlite')
    test('every column of the index is read by a check, or is listed with the reason why not', async () => {
      const read = new Set<string>();
      for (const { database, location } of [fresh, todays]) {
        assert.ok(location.kind === 'sqlite');
        const statements = new Set<string>();
        await outcomesOf(notingStatements(database, statements));
        for (const column of columnsRead(location.file, statements)) read.add(column);
      }
      const columns = INDEX_SCHEMA.tables.flatMap(table =>
        Object.keys(table.columns).map(name => `${table.name}.${name}`),
      );
      const listed = UNVERIFIED.flatMap(unverified => unverified.columns);
      assert.deepEqual(
        columns.filter(column => !read.has(column) && !listed.includes(column)),
        [],
        'no check reads these columns: compare them in one, or list them in test/support/unverified-columns.ts',
      );
      assert.deepEqual(
        listed.filter(column => read.has(column) || !columns.includes(column)),
        [],
        'test/support/unverified-columns.ts lists columns that a check reads, or that do not exist',
      );
    });

  test(`a check keeps as many findings as it is told, and counts the others (${engine})`, async () => {
    const { findings, total } = await afterCorruption(fresh.database, 'balances', tx =>
      tx.run(`UPDATE accounts SET received = received || '1'`),
    );
    assert.equal(findings.length, 3);
    assert.ok(total > 20);
  });

  test(`an index of another schema version is refused, with what to do (${engine})`, async () => {
    const refused = afterCorruption(fresh.database, 'state', tx =>
      tx.run(`UPDATE meta SET value = '1' WHERE name = 'schema_version'`),
    );
    await assert.rejects(refused, error => error instanceof IndexMismatch && /stacks-index reindex/.test(error.hint));
  });

  test(`a check that is told to stop does (${engine})`, async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(outcomesOf(fresh.database, { signal }), /enough/);
  });
});

interface Options {
  readonly signal?: AbortSignal;
  readonly only?: string;
  /** How many findings of a check. */
  readonly keep?: number;
}

async function outcomesOf(db: Database, options: Options = {}): Promise<CheckOutcome[]> {
  const outcomes: CheckOutcome[] = [];
  await verifyIndex({
    indexDb: db,
    journalDb: db,
    keep: options.keep ?? 3,
    checks: CHECKS.filter(({ name }) => options.only === undefined || name === options.only),
    ...(options.signal && { signal: options.signal }),
    onOutcome: outcome => outcomes.push(outcome),
  });
  return outcomes;
}

/** The findings of a check in an index with a corruption, which is undone afterwards. */
async function afterCorruption(
  db: Database,
  check: string,
  corrupt: (tx: DatabaseTransaction) => Promise<unknown>,
  keep?: number,
): Promise<CheckOutcome> {
  const enough = new Error('taken back');
  let outcome: CheckOutcome | undefined;
  const work = db.write(async tx => {
    await corrupt(tx);
    [outcome] = await outcomesOf({ ...db, read: readWith => readWith(tx) }, { only: check, ...(keep && { keep }) });
    throw enough;
  });
  await assert.rejects(work, error => {
    if (error !== enough) throw error;
    return true;
  });
  assert.ok(outcome, `there is no check "${check}"`);
  return outcome;
}
