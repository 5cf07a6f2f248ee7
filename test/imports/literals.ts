/** A string or template of a source file. */
export interface Literal {
  /** Where its text begins in the source. */
  readonly start: number;
  /** As long as in the source: an interpolation is HOLE and as many REST as it has further characters. */
  readonly text: string;
  /** The expressions that are interpolated, by their place in `text`. */
  readonly holes: ReadonlyMap<number, string>;
}

export const HOLE = '\u0001';
export const REST = '\u0002';

/** A `/` after one of these begins a regular expression; after anything else it divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in|await|yield|void))\s*$/;

/** All strings and templates of a file, the ones inside interpolations too. A scanner, not a parser: it knows comments, quotes and regular expressions. */
export function literalsOf(source: string): Literal[] {
  const found: Literal[] = [];
  let at = 0;

  const quoted = (quote: string) => {
    const start = ++at;
    while (at < source.length && source[at] !== quote) at += source[at] === '\\' ? 2 : 1;
    found.push({ start, text: source.slice(start, at++), holes: new Map() });
  };

  const template = () => {
    const start = ++at;
    const holes = new Map<number, string>();
    let text = '';
    while (at < source.length && source[at] !== '`') {
      if (source.startsWith('${', at)) {
        const from = at;
        at += 2;
        code(true);
        holes.set(text.length, source.slice(from + 2, at).trim());
        at++;
        text += HOLE + REST.repeat(at - from - 1);
      } else {
        const length = source[at] === '\\' ? 2 : 1;
        text += source.slice(at, at + length);
        at += length;
      }
    }
    at++;
    found.push({ start, text, holes });
  };

  const regex = () => {
    let inClass = false;
    for (at++; at < source.length && (inClass || source[at] !== '/'); at++) {
      if (source[at] === '\\') at++;
      else if (source[at] === '[') inClass = true;
      else if (source[at] === ']') inClass = false;
    }
    at++;
  };

  /** Reads to the end of the source, or to the brace that closes an interpolation. */
  const code = (inHole: boolean) => {
    let depth = 0;
    for (let begin = at; at < source.length; ) {
      const char = source[at];
      if (source.startsWith('//', at)) at = endOf('\n', at);
      else if (source.startsWith('/*', at)) at = endOf('*/', at);
      else if (char === "'" || char === '"') quoted(char);
      else if (char === '`') template();
      else if (char === '/' && BEFORE_REGEX.test(source.slice(Math.max(begin, at - 40), at))) regex();
      else if (inHole && char === '}' && depth === 0) return;
      else {
        if (char === '{') depth++;
        if (char === '}') depth--;
        at++;
        continue;
      }
      begin = at;
    }
  };
  const endOf = (mark: string, from: number) => {
    const end = source.indexOf(mark, from);
    return end < 0 ? source.length : end + mark.length;
  };

  code(false);
  return found.sort((a, b) => a.start - b.start);
}
