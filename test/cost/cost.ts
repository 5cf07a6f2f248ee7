import type { Statement } from './metered-database.ts';

/** What a request costs. The work of the engine is counted on PostgreSQL; of SQLite's plans only the kind is known. */
export interface Cost {
  readonly statements: number;
  /** Rows that came back. */
  readonly rows: number;
  /** Rows that the nodes of the plans gave and threw away. */
  readonly scanned: number;
  /** Pages looked at. */
  readonly buffers: number;
  /** Descents from the root of an index: each may need a page more when the index has grown. */
  readonly lookups: number;
  /** Steps of SQLite's plans that have no end but that of a list or table, with their statements. */
  readonly unbounded: readonly string[];
}

export function costOf(statements: readonly Statement[], engine: 'sqlite' | 'postgres'): Cost {
  const work = statements.map(({ plan }) => (engine === 'postgres' ? postgresWork(plan) : NO_WORK));
  const sum = (value: (of: Work) => number) => Math.round(work.reduce((total, of) => total + value(of), 0));
  return {
    statements: statements.length,
    rows: statements.reduce((total, { rows }) => total + rows, 0),
    scanned: sum(of => of.scanned),
    buffers: sum(of => of.buffers),
    lookups: sum(of => of.lookups),
    unbounded: engine === 'sqlite' ? statements.flatMap(unboundedSteps) : [],
  };
}

type Work = Pick<Cost, 'scanned' | 'buffers' | 'lookups'>;
const NO_WORK: Work = { scanned: 0, buffers: 0, lookups: 0 };

/** A node of a plan, as EXPLAIN names its members. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Index Searches'?: number;
  readonly Plans?: readonly PlanNode[];
}

function postgresWork(plan: string): Work {
  const [explained] = JSON.parse(plan) as { readonly Plan: PlanNode }[];
  if (!explained) return NO_WORK;
  const nodes = nodesOf(explained.Plan);
  return {
    scanned: nodes.reduce((total, node) => total + rowsOf(node), 0),
    // Those of a node include those of its children.
    buffers: explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks'],
    lookups: nodes.reduce((total, node) => total + (node['Index Searches'] ?? indexLoops(node)), 0),
  };
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Servers before version 18 do not count the descents within a loop. */
const indexLoops = (node: PlanNode): number => (node['Node Type'].includes('Index') ? node['Actual Loops'] : 0);

function rowsOf(node: PlanNode): number {
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}

/** Ends by itself after a row. */
const ENDS_AFTER_ONE = /\bLIMIT 1$|^SELECT max\(seq\) AS last FROM \w+$/;

/** Have what waits for a block, whatever the length of the chain. */
const BOUNDED_TABLES = ['pending_txs', 'pending_lists'];

/** A sort is as long as what is sorted. */
function unboundedSteps({ sql, plan }: Statement): string[] {
  const text = sql.replace(/\s+/g, ' ').trim();
  if (ENDS_AFTER_ONE.test(text) && !plan.includes('TEMP B-TREE')) return [];
  return plan
    .split('\n')
    .filter(
      step =>
        isOpen(step) &&
        !BOUNDED_TABLES.some(table => step.includes(table)) &&
        !scansSubquery(step, plan) &&
        !isScalar(step, text),
    )
    .map(step => `${step}: ${text}`);
}

/** A scan; a whole list; a range with one end. What equals one value of an index, or lies between two positions, is bounded. */
function isOpen(step: string): boolean {
  if (/^SCAN ((\d+ )?CONSTANT ROWS?|\d+-ROW VALUES CLAUSE)$/.test(step)) return false;
  if (step.startsWith('SCAN')) return true;
  const conditions = /\(([^()]*)\)$/.exec(step)?.[1]?.split(' AND ') ?? [];
  const ranges = conditions.filter(condition => /[<>]\?$/.test(condition));
  return ranges.length === 1 || conditions.join() === 'list=?';
}

/** The table of a subquery that gives one value and ends after one row. */
function isScalar(step: string, sql: string): boolean {
  const [, alias] = step.split(' ');
  return step.startsWith('SEARCH') && new RegExp(`\\(SELECT [^()]* FROM \\w+ ${alias} [^()]* LIMIT 1\\)`).test(sql);
}

/** What it reads is in other steps. */
function scansSubquery(step: string, plan: string): boolean {
  const [, name] = step.split(' ');
  return plan.split('\n').some(other => other === `CO-ROUTINE ${name}` || other === `MATERIALIZE ${name}`);
}
