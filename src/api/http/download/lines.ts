/** The lines of a download: its rows, and the places from which it can be resumed. */
import { csvLine } from '../../../base/lib/csv.ts';
import type { ShownBlock } from '../shown-block.ts';
import type { RowTable } from './table.ts';

/** Where a page begins: a cursor where the list has them, else the number of rows before it. */
export type PagePlace = { readonly cursor?: string; readonly offset?: number };

/** Writes a download. A page that begins at a place is always the same text, so a file can be cut there and continued. */
export interface LineWriter {
  /** Text before the first page. */
  readonly head: string;
  /** @param block that the page shows; undefined for an empty chain */
  page(block: ShownBlock | undefined, place: PagePlace, rows: readonly unknown[]): string;
  /** @param body of the error, JSON text @returns its line; empty if the form has no place for errors */
  error(body: string): string;
}

/**
 * A line of JSON for each row. Each page begins with a line that names the block and the place:
 *
 *     {"at":{"height":155,"index_block_hash":"0x63…","burn_block_height":120},"cursor":null}
 *     {"tx_id":…}
 *     {"tx_id":…}
 *     {"at":{"height":155,"index_block_hash":"0x63…","burn_block_height":120},"cursor":"154:2147483647:0"}
 *     …
 */
export const jsonLines = (): LineWriter => ({
  head: '',
  page: (block, place, rows) => [placeLine(block, place), ...rows].map(row => `${JSON.stringify(row)}\n`).join(''),
  error: body => `{"error":${body}}\n`,
});

const placeLine = (block: ShownBlock | undefined, { cursor, offset }: PagePlace) => ({
  at: block
    ? { height: block.height, index_block_hash: block.indexBlockHash, burn_block_height: block.burnBlockHeight }
    : null,
  ...((cursor !== undefined || offset === undefined) && { cursor: cursor ?? null }),
  ...(offset !== undefined && { offset }),
});

/** Columns of each table in addition to those of its rows. */
const PLACE_COLUMNS = ['at', 'resume'];

/**
 * A table. The first row of each page has the block and the place in two further columns, as a separate line would break the table. A table with
 * the columns of another program lacks them.
 */
export function csvLines(table: RowTable, preset?: RowTable): LineWriter {
  const { columns, cells } = preset ?? table;
  const placeOf = (block: ShownBlock | undefined, place: PagePlace, i: number): readonly string[] =>
    preset ? [] : i === 0 ? [block?.indexBlockHash ?? '', resumeText(place)] : ['', ''];
  return {
    head: csvLine(preset ? columns : [...columns, ...PLACE_COLUMNS]),
    page: (block, place, rows) => rows.map((row, i) => csvLine([...cells(row), ...placeOf(block, place, i)])).join(''),
    error: () => '',
  };
}

/** `cursor=154:2147483647:0`; empty for the first page. */
const resumeText = (place: PagePlace): string =>
  Object.entries(place)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
