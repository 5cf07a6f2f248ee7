import { HOLE, type Literal, REST } from './literals.ts';

/** What stands where a statement names a table. */
export type TableItem = { readonly at: number } & (
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'expression'; readonly text: string }
  /** A name put together of several parts, or none at all. */
  | { readonly kind: 'other'; readonly text: string }
);

const TOKEN = new RegExp(`--[^\\n]*|/\\*.*?\\*/|'(?:[^']|'')*'|"\\w+"|${HOLE}${REST}*|\\w+|\\S`, 'gs');
const COMMENT = /^(?:--|\/\*)/;
/** `extract(epoch FROM column)`: this FROM names no table. */
const TAKES_FROM = /^(?:extract|overlay|position|substring|trim)$/i;
const AFTER_TABLES = /^(?:WHERE|GROUP|ORDER|LIMIT|UNION|EXCEPT|INTERSECT|HAVING|WINDOW|SET|RETURNING|VALUES|SELECT)$/;
const BEGINS_STATEMENT = /^(?:SELECT|INSERT|UPDATE|DELETE|WITH|FROM|WHERE|AND|OR|ON|LEFT|RIGHT|FULL|INNER|CROSS|JOIN)$/;

/** Where a token is: after FROM or JOIN and before the conditions, elsewhere, or in the arguments of a function that has a FROM of its own. */
type Clause = 'tables' | 'other' | 'arguments';

/** The tables that a statement names after FROM, JOIN, INTO, UPDATE and USING, or a part of one. `isTables`: it follows a FROM. */
export function tableItems({ text, holes }: Literal, isTables = false): TableItem[] {
  const tokens = [...text.matchAll(TOKEN)].filter(([token]) => !COMMENT.test(token));
  const words = tokens.map(([token]) => token);
  const items: TableItem[] = [];
  const clauses: Clause[] = [isTables || beginsWithTable(words) ? 'tables' : 'other'];
  /** A target is a table; after FROM there can be a function, too. */
  let expected: 'table' | 'target' | undefined = clauses[0] === 'tables' ? 'table' : undefined;
  for (const [i, { 0: token, index: at }] of tokens.entries()) {
    const before = words[i - 1] ?? '';
    const next = words[i + 1] ?? '';
    const clause = clauses.at(-1);
    if (token === '(') {
      const isJoin = expected !== undefined && !/^(?:SELECT|WITH|VALUES)$/.test(next);
      clauses.push(isJoin ? 'tables' : TAKES_FROM.test(before) ? 'arguments' : 'other');
      if (!isJoin) expected = undefined;
    } else if (token === ')') {
      if (clauses.length > 1) clauses.pop();
      expected = undefined;
    } else if (token === ',') expected = clause === 'tables' ? 'table' : undefined;
    else if (token === 'FROM' && before !== 'DISTINCT' && clause !== 'arguments') {
      clauses[clauses.length - 1] = 'tables';
      expected = before === 'DELETE' ? 'target' : 'table';
    } else if (token === 'JOIN' || (token === 'USING' && next !== '(')) expected = 'table';
    else if (token === 'INTO' || (token === 'UPDATE' && !/^(?:DO|FOR|ON)$/.test(before))) expected = 'target';
    else if (AFTER_TABLES.test(token)) {
      clauses[clauses.length - 1] = 'other';
      expected = undefined;
    } else if (expected && token !== 'LATERAL' && token !== 'ONLY') {
      const isFunction = expected === 'table' && next === '(' && /^\w/.test(token);
      if (!isFunction) items.push(itemOf(token, at, text.charAt(at + token.length), holes));
      expected = undefined;
    }
  }
  return expected === undefined ? items : [...items, { at: text.length, kind: 'other', text: 'the end of the text' }];
}

/** Whether a part of a statement begins with a table, as `blocks b JOIN known_blocks k` does. */
function beginsWithTable(words: readonly string[]): boolean {
  const before = words.slice(0, words.indexOf('JOIN') + 1);
  return /^\w/.test(before[0] ?? '') && !before.slice(0, -1).some(word => BEGINS_STATEMENT.test(word));
}

function itemOf(token: string, at: number, following: string, holes: Literal['holes']): TableItem {
  const text = holes.get(at);
  if (following === HOLE || /^[\w.]$/.test(following)) return { at, kind: 'other', text: `${text ?? token} and more` };
  if (text !== undefined) return { at, kind: 'expression', text };
  const name = /^"?(\w+)"?$/.exec(token)?.[1];
  return name === undefined ? { at, kind: 'other', text: token } : { at, kind: 'name', text: name };
}
