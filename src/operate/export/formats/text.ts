import { csvCell, csvLine } from '../../../base/lib/csv.ts';
import { isoTime } from '../../../base/lib/time.ts';
import type { ExportColumn, ExportColumns, ExportRow } from '../columns.ts';
import type { RowEncoder } from './row-encoder.ts';

/** A line of JSON a row. Amounts are texts, as in the API, because many programs read numbers as doubles. */
export function ndjsonEncoder(columns: ExportColumns): RowEncoder {
  const fields = Object.entries(columns).map(([name, column]) => ({ name, column, key: JSON.stringify(name) }));
  const lineOf = (row: ExportRow) =>
    `{${fields.map(({ name, column, key }) => `${key}:${jsonOf(column, row[name])}`).join(',')}}\n`;
  return { add: rows => Buffer.from(rows.map(lineOf).join('')), end: () => new Uint8Array() };
}

function jsonOf({ type }: ExportColumn, value: ExportRow[string] | undefined): string {
  if (value === null || value === undefined) return 'null';
  switch (type) {
    case 'integer':
    case 'json':
      return String(value);
    case 'text':
      return JSON.stringify(value);
    case 'amount':
      return `"${value}"`;
    case 'time':
      return `"${isoTime(Number(value))}"`;
    default:
      return type satisfies never;
  }
}

/** A line of names, then one a row. A cell without quotes is null. */
export function csvEncoder(columns: ExportColumns): RowEncoder {
  const fields = Object.entries(columns);
  let head = csvLine(fields.map(([name]) => name));
  const lineOf = (row: ExportRow) => `${fields.map(([name, column]) => cellOf(column, row[name])).join(',')}\r\n`;
  const take = (lines: string) => {
    const text = head + lines;
    head = '';
    return Buffer.from(text);
  };
  return { add: rows => take(rows.map(lineOf).join('')), end: () => take('') };
}

function cellOf({ type }: ExportColumn, value: ExportRow[string] | undefined): string {
  if (value === null || value === undefined) return '';
  switch (type) {
    case 'integer':
    case 'amount':
      return String(value);
    case 'text':
    case 'json':
      return csvCell(String(value));
    case 'time':
      return isoTime(Number(value));
    default:
      return type satisfies never;
  }
}
