/** A statement as PostgreSQL takes it. One with a name is prepared once for each connection. */
export interface NumberedStatement {
  readonly text: string;
  readonly name?: string;
}

/** Past this many texts (lists of varying length) statements are not named: each name costs memory on the server. */
const MAX_NAMED = 1_000;

const LITERAL_OR_MARK = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

/** Rewrites each `?` to `$1`, `$2` ..., except in literals, quoted names and comments. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(LITERAL_OR_MARK, part => (part === '?' ? `$${++count}` : part));
}

/** A cache that rewrites and names each text once. */
export function statementNames(): (sql: string) => NumberedStatement {
  const known = new Map<string, NumberedStatement>();
  return sql => {
    const statement = known.get(sql);
    if (statement !== undefined) return statement;
    const text = numberPlaceholders(sql);
    if (known.size >= MAX_NAMED) return { text };
    const named = { text, name: `s${known.size + 1}` };
    known.set(sql, named);
    return named;
  };
}
