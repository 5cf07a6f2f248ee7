import { writeFileSync } from 'node:fs';

/** A figure, a text, or nothing. */
export type Cell = number | string | null;

export interface Column {
  /** The name in JSON. */
  readonly key: string;
  readonly title: string;
  /** Decimals of figures. */
  readonly digits?: number;
}

/** A figure, and its highest acceptable value. */
export interface Goal {
  readonly what: string;
  readonly figure: number;
  readonly most: number;
}

/** A table of results, as it is printed and saved. */
export interface Table {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  /** Sentences below the table. */
  readonly notes?: readonly string[];
  readonly goals?: readonly Goal[];
}

/** The value below which this share of sorted values lies; NaN without values. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** As quantile, for values in any order. */
export const quantileOf = (values: readonly number[], share: number): number =>
  quantile(Float64Array.from(values).sort(), share);

const FIRST_WIDTH = 56;
const WIDTH = 14;

/** Prints a table row by row as figures arrive, and returns the whole table at the end. */
export class TablePrinter {
  readonly #table: Table & {
    readonly rows: Readonly<Record<string, Cell>>[];
    readonly notes: string[];
    readonly goals: Goal[];
  };

  constructor(title: string, columns: readonly Column[]) {
    this.#table = { title, columns, rows: [], notes: [], goals: [] };
    console.log(`\n${title}`);
    console.log(aligned(columns.map(column => column.title)));
  }

  add(row: Readonly<Record<string, Cell>>): void {
    this.#table.rows.push(row);
    console.log(aligned(this.#table.columns.map(column => cellText(row[column.key], column.digits))));
  }

  note(text: string): void {
    this.#table.notes.push(text);
    console.log(text);
  }

  /** Adds a figure with its goal; a round prints the goals of all its benchmarks at its end. */
  goal(what: string, figure: number, most: number): void {
    this.#table.goals.push({ what, figure, most });
  }

  get table(): Table {
    return this.#table;
  }
}

/** A table of two columns: figures by what they are. */
export function printFigures(title: string, figures: readonly (readonly [what: string, figure: Cell])[]): Table {
  const printer = new TablePrinter(title, [
    { key: 'what', title: 'what' },
    { key: 'figure', title: 'figure' },
  ]);
  for (const [what, figure] of figures) printer.add({ what, figure });
  return printer.table;
}

/** The goals of some tables, and whether they are met. */
export function printGoals(tables: readonly Table[]): Table {
  const printer = new TablePrinter('Goals', [
    { key: 'what', title: 'what' },
    { key: 'figure', title: 'figure', digits: 2 },
    { key: 'most', title: 'at most', digits: 2 },
    { key: 'times', title: 'times the goal', digits: 2 },
    { key: 'verdict', title: '' },
  ]);
  for (const { what, figure, most } of tables.flatMap(({ goals = [] }) => goals))
    printer.add({ what, figure, most, times: figure / most, verdict: figure <= most ? 'met' : 'NOT MET' });
  return printer.table;
}

/** Saves tables in the file of `--json FILE`. */
export function saveTables(file: string | undefined, tables: readonly Table[]): void {
  if (file !== undefined) writeFileSync(file, `${JSON.stringify({ tables }, null, 1)}\n`);
}

export function markdownOf({ title, columns, rows, notes = [] }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    `### ${title}`,
    '',
    line(columns.map(column => column.title)),
    line(columns.map((_, i) => (i === 0 ? '---' : '--:'))),
    ...rows.map(row => line(columns.map(({ key, digits }) => cellText(row[key], digits).replaceAll('|', '\\|')))),
    '',
    ...notes.map(note => `${note}\n`),
  ].join('\n');
}

function aligned([first = '', ...others]: readonly string[]): string {
  return first.padEnd(FIRST_WIDTH) + others.map(cell => cell.padStart(WIDTH)).join('');
}

/** The text of a cell; empty for a figure that could not be measured. */
function cellText(cell: Cell | undefined, digits = 0): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  return Number.isFinite(cell) ? cell.toFixed(digits) : '';
}
