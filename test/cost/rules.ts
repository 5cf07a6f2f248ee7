import type { Cost } from './cost.ts';
import type { Exception } from './exceptions.ts';
import type { Measured, PageCost } from './measured.ts';

/** A page may cost so much more than the one it is compared with. */
const GROWTH = 1.3;
/** Rows that the engine may look at for each that comes back, and for each statement: every node of a plan counts them again. */
const ROWS_PER_ROW = 7;
/** The same for each entry that an exception allows. */
const ROWS_PER_EXCEPTION = 6;
/** Pages of an index, from its root to a row of the table. */
const PAGES_PER_LOOKUP = 4;
/** Where a page has few entries, some more or less are chance. */
const CHANCE = 8;

/** What a request costs too much: in the long chain more than in the short one, or on its last page more than on the first. */
export function tooExpensive({ small, large, deep }: Measured, exception: Exception | undefined): string[] {
  const pages = [problemsOf(large, small, exception, 'in the long chain')];
  if (deep) pages.push(problemsOf(deep, large, exception, 'on the last page'));
  return pages.flat();
}

function problemsOf(page: PageCost, other: PageCost, exception: Exception | undefined, where: string): string[] {
  const { cost } = page;
  const problems: string[] = [];
  for (const [measure, most] of Object.entries(mostOf(page, other, exception)) as [keyof typeof cost, number][]) {
    if (Number(cost[measure]) > most) {
      problems.push(`${measure} ${where}: ${cost[measure]}, at most ${Math.floor(most)} (${page.path})`);
    }
  }
  const forbidden = cost.unbounded.filter(step => !exception?.reads || (step.startsWith('SCAN') && !exception.walks));
  problems.push(...forbidden.map(step => `${step} (${page.path})`));
  return problems;
}

type Measures = Pick<Cost, 'statements' | 'rows' | 'scanned' | 'buffers'>;

function mostOf(page: PageCost, other: PageCost, { reads, returned, steps }: Exception = {}): Measures {
  const { rows, statements, lookups } = page.cost;
  const entries = reads?.(page) ?? 0;
  // A page that has more records than the other may cost as much more.
  const longer = Math.max(0, page.records - other.records);
  const more = (steps?.(page) ?? 0) + longer;
  return {
    statements: GROWTH * other.cost.statements + more,
    rows: GROWTH * other.cost.rows + 2 + (returned ? entries : 0) + 3 * more,
    scanned: Math.min(
      GROWTH * other.cost.scanned + CHANCE + ROWS_PER_ROW * 3 * more + ROWS_PER_EXCEPTION * entries,
      ROWS_PER_ROW * (rows + statements) + CHANCE + ROWS_PER_EXCEPTION * entries,
    ),
    buffers: PAGES_PER_LOOKUP * lookups + rows + CHANCE + ROWS_PER_EXCEPTION * entries,
  };
}
