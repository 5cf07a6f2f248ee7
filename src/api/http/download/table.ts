/** Rows of a list as lines of a table, with columns derived from the schema of the list alone. */

/** The parts of the JSON schema of a row from which its columns are derived. */
export interface RowSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, RowSchema>>;
  readonly anyOf?: readonly RowSchema[];
  readonly oneOf?: readonly RowSchema[];
}

/** How the rows of a list become lines. */
export interface RowTable {
  /** The names of the columns. */
  readonly columns: readonly string[];
  /** The cells of a row, one for each column. @param row as the list has it */
  readonly cells: (row: unknown) => readonly string[];
}

interface Column {
  /** The names of the members from the row to the value. */
  readonly path: readonly string[];
  /** Whether the members of a value that is an object have columns of their own. */
  readonly hasMembers: boolean;
}

/**
 * A table with a column for each scalar of a row: members of objects have their path as name, `tx.fee_rate`. Lists, and objects with
 * any keys, are JSON text. Missing values and null are empty cells.
 * @param schema of a row
 */
export function tableOf(schema: RowSchema): RowTable {
  const columns = columnsOf([schema], []);
  return {
    columns: columns.map(({ path }) => (path.length === 0 ? 'value' : path.join('.'))),
    cells: row => columns.map(column => cellOf(row, column)),
  };
}

function columnsOf(schemas: readonly RowSchema[], path: readonly string[]): readonly Column[] {
  const kinds = schemas.flatMap(alternatives);
  const members = new Map<string, RowSchema[]>();
  for (const { properties = {} } of kinds)
    for (const [name, schema] of Object.entries(properties)) members.set(name, [...(members.get(name) ?? []), schema]);
  const isScalar = kinds.some(({ type, properties }) => type !== 'null' && properties === undefined);
  const own = isScalar || members.size === 0 ? [{ path, hasMembers: members.size > 0 }] : [];
  return [...own, ...[...members].flatMap(([name, ofMember]) => columnsOf(ofMember, [...path, name]))];
}

const alternatives = (schema: RowSchema): readonly RowSchema[] => {
  const { anyOf = [], oneOf = [] } = schema;
  const kinds = [...anyOf, ...oneOf];
  return kinds.length === 0 ? [schema] : kinds.flatMap(alternatives);
};

function cellOf(row: unknown, { path, hasMembers }: Column): string {
  let value = row;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return '';
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  return hasMembers && !Array.isArray(value) ? '' : JSON.stringify(value);
}
