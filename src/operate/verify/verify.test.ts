import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { columnsRead, notingStatements } from '../../../test/support/columns-read.ts';
import { corruptions, LOSSES } from '../../../test/support/corruptions.ts';
import { damageColumn } from '../../../test/support/damage.ts';
import { type Fresh, onSqliteAtLeast } from '../../../test/support/engines.ts';
import { replayed } from '../../../test/support/replayed.ts';
import { scale } from '../../../test/support/scale.ts';
import { TODAYS_CHAIN } from '../../../test/support/todays-chain.ts';
import { UNVERIFIED } from '../../../test/support/unverified-columns.ts';
import type { Database, DatabaseTransaction, Table } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { INDEX_SCHEMA } from '../../index/index-schema.ts';
import { COMBINED_TXS, FEE_TXS } from '../../index/transactions/tables.ts';
import { IndexMismatch } from '../../ingest/indexer/chain-id.ts';
import type { ListKind } from '../../ingest/indexer/tables.ts';
import type { Check } from './check.ts';
import { CHECKS } from './checks.ts';
import { type CheckOutcome, verifyIndex } from './verify.ts';

const SAMPLE_CHAIN = join(import.meta.dirname, '../../../examples/sample-chain.tsv.gz');

onSqliteAtLeast((engine, openFresh) => {
  let fresh: Fresh;
  /** With the kinds of lists that the sample chain lacks. */
  let todays: Fresh;
  before(async () => {
    fresh = await replayed(openFresh, SAMPLE_CHAIN)();
    todays = await replayed(openFresh, TODAYS_CHAIN)();
  });
  after(() => Promise.all([fresh.cleanup(), todays.cleanup()]));
  /** Of the sample chain: all checks run once for two tests. */
  let ofSample: Promise<Readers> | undefined;
  const readersOfSample = () => {
    ofSample ??= withReaders(fresh);
    return ofSample;
  };

  test(`the index of the sample chain is sound (${engine})`, async () => {
    const outcomes = engine === 'sqlite' ? (await readersOfSample()).outcomes : await outcomesOf(fresh.database);
    assert.deepEqual(
      outcomes.flatMap(({ findings }) => findings),
      [],
    );
    assert.deepEqual(
      outcomes.map(({ check }) => check),
      CHECKS,
    );
  });

  /** In the chain of epoch 4.0, which is small, or else in the sample chain. */
  async function findingsAfter(check: string, statements: readonly string[]): Promise<CheckOutcome['findings']> {
    let changed = 0;
    const corrupt = async (tx: DatabaseTransaction) => {
      for (const sql of statements) changed += await tx.run(sql);
    };
    for (const { database } of [todays, fresh]) {
      const { findings } = await afterCorruption(database, check, corrupt).catch(error => {
        // A row of the small chain may be in the way of a new one.
        if (database === todays.database && error instanceof FatalDatabaseError && error.code === 'CONSTRAINT')
          return { findings: [] };
        throw error;
      });
      if (findings.length > 0) return findings;
    }
    assert.ok(changed > 0, 'nothing was changed');
    return [];
  }

  for (const [check, what, ...statements] of corruptions(engine)) {
    test(`the check "${check}" tells when ${what} (${engine})`, async () => {
      const findings = await findingsAfter(check, statements);
      assert.ok(findings.length > 0, 'nothing was found');
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
        for (const { database } of [todays, fresh]) {
          if (named.every(({ code }) => told.has(code))) break;
          const { findings } = await afterCorruption(database, name, tx => lose(named, tx), 10_000);
          for (const finding of findings) told.add(Number(/^lists: kind (\d+) /.exec(finding.what)?.[1]));
        }
      }
      assert.deepEqual(
        INDEX_SCHEMA.lists.filter(({ named, code }) => named && !told.has(code)).map(({ code }) => code),
        [COMBINED_TXS.code, FEE_TXS.code],
        'codes of lists of which no check tells, or that no chain has; neither chain has busy lists: see index/transactions/combined-lists.test.ts',
      );
    });

    test(`the checks that recount the other lists tell when one ${what} (${engine})`, async () => {
      const told = new Set<ListKind>();
      for (const { name, recounts = [] } of CHECKS)
        for (const kind of recounts.filter(({ named }) => !named))
          for (const { database } of [todays, fresh])
            if (!told.has(kind) && (await afterCorruption(database, name, tx => lose([kind], tx))).total > 0)
              told.add(kind);
      const untold = INDEX_SCHEMA.lists.filter(kind => !kind.named && !told.has(kind));
      assert.deepEqual(
        untold,
        INDEX_SCHEMA.lists.filter(({ named, entries }) => !named && WITHOUT_ROWS.includes(entries.name)),
        'lists with rows of which no check tells',
      );
    });
  }

  // Both engines run the same statements, but only SQLite reports which columns a statement reads.
  if (engine === 'sqlite')
    test('a check reports damage of every column of the index, or the column is listed with the reason why not; in the short form one reads it', async () => {
      const unreported: string[] = [];
      const empty: Table[] = [];
      const chains = [await withReaders(todays), await readersOfSample()];
      for (const table of INDEX_SCHEMA.tables)
        if (await isEmpty(table, chains)) empty.push(table);
        else
          for (const column of Object.keys(table.columns))
            if (!(await isCompared(table, column, chains))) unreported.push(`${table.name}.${column}`);
      assert.deepEqual(
        empty.map(({ name }) => name),
        WITHOUT_ROWS,
        'tables without rows in both chains',
      );
      const listed = UNVERIFIED.flatMap(({ columns }) => columns);
      assert.deepEqual(
        unreported.filter(column => !listed.includes(column)),
        [],
        'no check reports damage of these columns: compare them in one, or list them in test/support/unverified-columns.ts',
      );
      if (scale === 'short') return;
      assert.deepEqual(
        listed.filter(
          column => !unreported.includes(column) && !WITHOUT_ROWS.some(table => column.startsWith(`${table}.`)),
        ),
        [],
        'test/support/unverified-columns.ts lists columns whose damage a check reports, or that do not exist',
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

/** A chain, and the checks that read each column of its index, the fastest first. */
interface Readers {
  readonly database: Database;
  readonly readers: ReadonlyMap<string, readonly Check[]>;
  readonly outcomes: readonly CheckOutcome[];
}

async function withReaders({ database, location }: Fresh): Promise<Readers> {
  assert.ok(location.kind === 'sqlite');
  const readers = new Map<string, Check[]>();
  const outcomes: CheckOutcome[] = [];
  const ran: { readonly check: Check; readonly statements: ReadonlySet<string>; readonly took: number }[] = [];
  for (const check of CHECKS) {
    const statements = new Set<string>();
    const begun = performance.now();
    outcomes.push(...(await outcomesOf(notingStatements(database, statements), { only: check.name })));
    ran.push({ check, statements, took: performance.now() - begun });
  }
  // One finding is enough, so the fastest checks run first.
  for (const { check, statements } of ran.sort((a, b) => a.took - b.took)) {
    for (const column of columnsRead(location.file, statements))
      readers.set(column, [...(readers.get(column) ?? []), check]);
  }
  return { database, readers, outcomes };
}

/** Tables in which neither chain has a row: burn-times.test.ts has late blocks, checks/rebuilt-blocks.test.ts rebuilt ones, apply.test.ts of index/staking rates of cycles. */
const WITHOUT_ROWS = [
  ...['set_aside', 'rebuilt_blocks', 'staking_cycle_rates', 'staking_cycle_totals', 'cycle_bond_locks'],
  ...['bond_cycle_rates', 'newest_bond_cycles', 'staker_claims', 'late_blocks', 'past_pox_operators'],
  ...['past_staking_cycle_rates', 'past_staking_cycle_totals', 'past_cycle_bond_locks', 'past_cycle_calculations'],
  ...['past_bond_cycle_rates', 'past_staker_claims', 'past_staking_counts'],
];

async function isEmpty({ name }: Table, chains: readonly Readers[]): Promise<boolean> {
  for (const { database } of chains)
    if (await database.read(queries => queries.get(`SELECT 1 AS found FROM ${name} LIMIT 1`))) return false;
  return true;
}

/** At length whether a check reports a change of it; in the short form whether a check reads it at all. */
const isCompared = async (table: Table, column: string, chains: readonly Readers[]): Promise<boolean> =>
  scale === 'short'
    ? chains.some(({ readers }) => readers.has(`${table.name}.${column}`))
    : isReported(table, column, chains);

/** Whether a check reports a changed value of a column, in one of the chains: the first of them is small, so its checks are fast. */
async function isReported(table: Table, column: string, chains: readonly Readers[]): Promise<boolean> {
  for (const { database, readers } of chains) {
    for (const { name } of readers.get(`${table.name}.${column}`) ?? []) {
      let isDamaged = false;
      const { total } = await afterCorruption(database, name, async tx => {
        isDamaged = await damageColumn(table, column, tx);
      });
      if (!isDamaged) break;
      if (total > 0) return true;
    }
  }
  return false;
}

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
