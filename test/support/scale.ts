import type { Database } from '../../src/base/store/database.ts';

/** How long the tests may take: `npm test` is short, `npm run test:all` is all. */
export type Scale = 'short' | 'all';

const SCALES: readonly Scale[] = ['short', 'all'];

/** Its name in the environment. */
export const SCALE_VARIABLE = 'TEST_SCALE';

/** Its name in the environment: `yes` where tests of code that does not know its engine run on SQLite alone. */
export const SQLITE_SUFFICES = 'TEST_SQLITE_SUFFICES';

export const scale: Scale = SCALES.find(name => name === process.env[SCALE_VARIABLE]) ?? 'short';

/** For the option `skip` of a test, or of a suite, that only `npm run test:all` runs. */
export const atLength: string | false = scale === 'short' && 'in npm run test:all';

/** At each scale. */
interface Cases {
  readonly short: number;
  readonly all: number;
}

/** How many cases are tried. The variable of the same name in the environment sets another number. */
const CASES = {
  /** Of each property in test/properties and of the naive model. */
  PROPERTY_RUNS: { short: 4, all: 150 },
  MODEL_RUNS: { short: 3, all: 60 },
  /** Requests made from the published parameters. */
  REQUEST_CASES: { short: 100, all: 10_000 },
  /** Events with corrupt fields; damaged bodies of events, and damaged snapshots. */
  HOSTILE_CASES: { short: 80, all: 3000 },
  EVENT_CASES: { short: 90, all: 1000 },
  /** Combinations of parameters whose costs are measured. */
  COST_CASES: { short: 30, all: 4000 },
  /** Chains that are searched. */
  SEARCH_RUNS: { short: 3, all: 24 },
  /** Orders in which false first blocks come. */
  FIRST_BLOCK_ORDERS: { short: 4, all: 300 },
  /** Kills of the program, for each engine and each of its ways to work. */
  CRASH_KILLS: { short: 1, all: 20 },
  /** Primaries of PostgreSQL that are killed. */
  FAILOVERS: { short: 0, all: 20 },
  /** Power failures. */
  POWER_LOSSES: { short: 4, all: 200 },
  /** Kills of a process that is storing transactions. */
  WRITER_KILLS: { short: 1, all: 20 },
} satisfies Record<string, Cases>;

/** The number of cases of a test. On PostgreSQL, where a case takes longer, it is a third of that on SQLite. */
export function casesOf(name: keyof typeof CASES, engine: Database['engine'] = 'sqlite'): number {
  const given = process.env[name];
  if (given !== undefined) return Number(given);
  const of: Cases = CASES[name];
  const cases = of[scale] ?? of.all;
  return engine === 'sqlite' ? cases : Math.ceil(cases / 3);
}
