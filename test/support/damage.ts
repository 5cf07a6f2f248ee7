import type { DatabaseTransaction, Row, SqlValue, Table } from '../../src/base/store/database.ts';

/**
 * Changes one value of a column as little as its type allows: a number by one, a bit of the last byte, a letter or a digit of a text, so that
 * what it holds mostly stays readable. Prefers a value that is not null.
 * @returns false where the table is empty
 */
export async function damageColumn(table: Table, column: string, tx: DatabaseTransaction): Promise<boolean> {
  const row = await tx.get<Row>(
    `SELECT * FROM ${table.name} ORDER BY ${column} IS NULL, ${table.key.join(' DESC, ')} DESC LIMIT 1`,
  );
  if (!row) return false;
  const value = row[column] ?? null;
  const damaged = value === null ? instead(table.columns[column] ?? '') : changed(value);
  const isRow = table.key.map(name => `${name} = ?`).join(' AND ');
  const key = table.key.map(name => row[name] ?? null);
  // Keys are unique, so the number after this one may be taken.
  const apart = typeof damaged === 'number' && table.key.includes(column) ? damaged + 1_000_003 : damaged;
  await tx.run(`UPDATE ${table.name} SET ${column} = ? WHERE ${isRow}`, [apart, ...key]);
  return true;
}

const instead = (type: string): SqlValue =>
  type.startsWith('int') ? 1 : type.startsWith('text') ? '1' : new Uint8Array(20);

function changed(value: Exclude<SqlValue, null>): SqlValue {
  if (typeof value === 'number') return value === 1 ? 0 : value + 1;
  if (typeof value === 'string') return changedText(value);
  const bytes = Uint8Array.from(value.length > 0 ? value : [0]);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  return bytes;
}

/** The last digit becomes another one; in a text without digits the last letter. */
function changedText(text: string): string {
  const at = Math.max(text.search(/\d\D*$/), -1);
  if (at >= 0) return `${text.slice(0, at)}${(Number(text[at]) + 1) % 10}${text.slice(at + 1)}`;
  const letter = text.search(/[a-z][^a-z]*$/i);
  if (letter < 0) return `${text}1`;
  return `${text.slice(0, letter)}${text[letter] === 'x' ? 'y' : 'x'}${text.slice(letter + 1)}`;
}
