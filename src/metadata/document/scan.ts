interface JsonShape {
  /** Levels of objects and arrays. */
  readonly depth: number;
  /** At least the number of values. */
  readonly nodes: number;
}

/**
 * Measures JSON or JSON5 without parsing it. Skips strings and comments by the rules of JSON5. If strict JSON has other rules, its
 * parser stops at that place, so no valid document is deeper or has more values than the result. Stops at a level deeper than
 * `deepest`.
 */
export function scanJson(text: string, deepest: number): JsonShape {
  let level = 0;
  let depth = 0;
  let nodes = 1;
  for (let at = 0; at < text.length && depth <= deepest; at++) {
    switch (text[at]) {
      case '{':
      case '[':
        nodes++;
        level++;
        if (level > depth) depth = level;
        break;
      case '}':
      case ']':
        level--;
        break;
      case ',':
        nodes++;
        break;
      case '"':
      case "'":
        at = endOfString(text, at);
        break;
      case '/':
        at = endOfComment(text, at);
        break;
      default: // any other character
    }
  }
  return { depth, nodes };
}

/** Position of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  const quote = text[start];
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** Position of the last character of the comment that may begin here, or the end of the text. */
function endOfComment(text: string, start: number): number {
  if (text[start + 1] === '*') {
    const end = text.indexOf('*/', start + 2);
    return end < 0 ? text.length : end + 1;
  }
  if (text[start + 1] !== '/') return start;
  LINE_END.lastIndex = start;
  return LINE_END.exec(text)?.index ?? text.length;
}

const LINE_END = /[\n\r\u2028\u2029]/g;
