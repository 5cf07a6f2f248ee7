/** Tables as text that spreadsheets open (RFC 4180). */

/** A line of a table. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;

/** Blanks, control characters and zero-width characters: spreadsheets may skip them. */
const UNSEEN = /^[\s\p{C}\p{Default_Ignorable_Code_Point}]+/u;

/**
 * Quotes a cell (RFC 4180) and disarms formulas: a spreadsheet evaluates a cell that begins like a formula, even after characters that
 * it skips, or in full-width letters. Numbers may begin with a minus.
 */
export function csvCell(text: string): string {
  const begin = text.replace(UNSEEN, '').normalize('NFKC');
  const isFormula = /^[=+\-@]/.test(begin) && !/^-?\d+(\.\d+)?$/.test(text);
  return `"${(isFormula || /^[\t\r\n]/.test(text) ? `'${text}` : text).toWellFormed().replaceAll('"', '""')}"`;
}
