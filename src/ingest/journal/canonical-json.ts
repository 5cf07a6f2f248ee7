/**
 * One text for all spellings of a JSON value: members sorted by name, no space, numbers by their value. Programs that write the same
 * event differ only in these.
 *
 *     { "b": 1.0, "a": ["é"] }   and   {"a":["\u00e9"],"b":1}   both become   {"a":["é"],"b":1}
 *
 * Integers keep all their digits, as amounts pass 2^53. Of members with the same name the last one counts.
 * @throws SyntaxError if the text is no JSON; RangeError if it is nested too deeply
 */
export function canonicalJson(text: string): string {
  const reviver = (_: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? new NumberText(context?.source ?? String(value)) : value;
  return write(JSON.parse(text, reviver));
}

/** A number as it was written. */
class NumberText {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

function write(value: unknown): string {
  if (value instanceof NumberText)
    return /^-?\d+$/.test(value.source) ? String(BigInt(value.source)) : JSON.stringify(Number(value.source));
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
}
