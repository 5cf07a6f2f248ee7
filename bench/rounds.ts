import { statSync } from 'node:fs';
import { join } from 'node:path';

/** A benchmark with its arguments. */
export interface Step {
  readonly benchmark: string;
  readonly args: readonly string[];
}

/** The size that `full` requests. */
export interface FullRound {
  /** Of chains of different sizes. */
  readonly archives: readonly string[];
  readonly database: string | undefined;
  readonly readDatabase: string | undefined;
  /** For each page. */
  readonly seconds: string;
}

/** Blocks of the chain of small blocks that the short round makes. */
const SMALL_BLOCKS = '4000';

/**
 * A round of some minutes on the sample chain and on a chain of small blocks. It shows whether everything works and roughly meets its goals; its figures are
 * not exact enough to keep.
 * @param directory for that chain
 * @param database undefined: SQLite alone
 */
export function shortRound(directory: string, database: string | undefined): Step[] {
  const small = join(directory, 'nakamoto.tsv');
  const beside = database === undefined ? [] : ['--database', database];
  return [
    { benchmark: 'decode', args: [] },
    { benchmark: 'ingest', args: [] },
    { benchmark: 'generate', args: ['--profile', 'nakamoto', '--blocks', SMALL_BLOCKS, '--out', small] },
    { benchmark: 'ingest', args: [small] },
    { benchmark: 'cost', args: ['--seconds', '0.1', ...beside] },
    { benchmark: 'growth', args: ['--seconds', '0.1', '--only', 'getAddressTransactionsV2'] },
    { benchmark: 'tip', args: ['--blocks', '60', '--interval', '20', '--seconds', '1'] },
    { benchmark: 'tails', args: ['--blocks', '2'] },
    { benchmark: 'workers', args: ['--seconds', '0.5'] },
    { benchmark: 'metadata', args: ['--tokens', '2000'] },
  ];
}

/** All benchmarks, on archives of simulated chains; with a database, also on PostgreSQL. */
export function fullRound({ archives, database, readDatabase, seconds }: FullRound): Step[] {
  const bySize = archives.toSorted((a, b) => statSync(a).size - statSync(b).size);
  const largest = bySize.at(-1) ?? '';
  const beside = database === undefined ? [] : ['--database', database];
  const on = (url: string | undefined): Step[] => {
    const where = url === undefined ? [] : ['--database', url];
    return [
      { benchmark: 'ingest', args: [largest, ...where] },
      { benchmark: 'read', args: [largest, '--seconds', seconds, ...where] },
      // The sample chain, for pages without data in simulated chains, such as delegations.
      ...(url === undefined ? [{ benchmark: 'read', args: ['--seconds', seconds] }] : []),
      { benchmark: 'growth', args: ['--archives', bySize.join(), '--seconds', seconds, ...where] },
      { benchmark: 'tip', args: [largest, ...where] },
      { benchmark: 'tails', args: where },
      { benchmark: 'workers', args: [largest, '--seconds', seconds, ...where] },
    ];
  };
  return [
    { benchmark: 'decode', args: [] },
    { benchmark: 'cost', args: [largest, ...beside] },
    ...on(undefined),
    { benchmark: 'metadata', args: [] },
    ...(database === undefined ? [] : on(database)),
    ...(database === undefined ? [] : [nodes(largest, database, undefined, seconds)]),
    ...(database === undefined || readDatabase === undefined ? [] : [nodes(largest, database, readDatabase, seconds)]),
  ];
}

function nodes(archive: string, database: string, replica: string | undefined, seconds: string): Step {
  const reading = replica === undefined ? [] : ['--read-database', replica];
  return { benchmark: 'nodes', args: [archive, '--database', database, ...reading, '--seconds', seconds] };
}
