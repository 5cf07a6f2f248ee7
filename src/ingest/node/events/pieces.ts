/**
 * Parses a large body piece by piece. The list of events, which is nearly all of a body of 80 MB, is never in memory as one text or as
 * parsed JSON; only the data that its reader keeps of each item is.
 */

/** Approximate bytes of a piece, small enough that the garbage collector frees its objects young. */
const PIECE_BYTES = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

interface Bytes {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** A JSON list of which a reader has one piece in memory at a time. */
export class ListInPieces {
  /** False: readers check the items, and forget them. */
  readonly isKept: boolean;
  readonly #body: Uint8Array;
  readonly #pieces: readonly Bytes[];

  constructor(body: Uint8Array, pieces: readonly Bytes[], isKept: boolean) {
    this.#body = body;
    this.#pieces = pieces;
    this.isKept = isKept;
  }

  /** The items in order, some at a time. @throws SyntaxError where the list is not JSON */
  *pieces(): Generator<readonly unknown[]> {
    for (const { start, end } of this.#pieces) {
      const items = JSON.parse(`[${textOf(this.#body.subarray(start, end))}]`) as unknown[];
      // A comma with nothing on one of its sides.
      if (items.length === 0 && this.#pieces.length > 1) throw new SyntaxError('a list has a comma too many');
      yield items;
    }
  }
}

/** A body divided into its list and the rest, which has an empty list in its place. */
interface DividedBody {
  readonly rest: Uint8Array;
  readonly list: ListInPieces;
}

/**
 * Divides a body whose JSON is an object with a list of this name. Undefined unless that is certain, as for malformed JSON: then the whole
 * body must be parsed. The pieces and the rest are valid JSON only if the whole is.
 */
export function divideBody(
  body: Uint8Array,
  name: string,
  isKept: boolean,
  pieceBytes = PIECE_BYTES,
): DividedBody | undefined {
  const quoted = Buffer.from(`"${name}"`);
  let found: { readonly list: Bytes; readonly pieces: readonly Bytes[] } | undefined;
  let depth = 0;
  /** Of the last string at the depth of the members: the name of a member, if a colon follows. */
  let string: Bytes = { start: 0, end: 0 };
  let isNamed = false;
  for (let i = 0; i < body.length; i++) {
    switch (body[i]) {
      case QUOTE: {
        const end = endOfString(body, i);
        if (depth === 1) string = { start: i, end };
        i = end - 1;
        break;
      }
      case COLON: {
        if (depth !== 1) break;
        const member = body.subarray(string.start, string.end);
        // An escaped name may be the same name in another spelling.
        if (member.includes(BACKSLASH)) return undefined;
        isNamed = quoted.equals(member);
        // Of two lists with the same name the later one counts.
        if (isNamed && found) return undefined;
        break;
      }
      case OPENING_BRACKET: {
        if (depth === 1 && isNamed) {
          const pieces = piecesOfList(body, i + 1, pieceBytes);
          const end = (pieces.at(-1)?.end ?? body.length) + 1;
          if (body[end - 1] !== CLOSING_BRACKET) return undefined;
          found = { list: { start: i, end }, pieces };
          isNamed = false;
          i = end - 1;
        } else depth++;
        break;
      }
      case OPENING_BRACE:
        depth++;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth--;
        break;
      default:
    }
  }
  if (!found) return undefined;
  const { list, pieces } = found;
  const rest = Buffer.concat([body.subarray(0, list.start), Buffer.from('[]'), body.subarray(list.end)]);
  return { rest, list: new ListInPieces(body, pieces, isKept) };
}

/** Pieces up to the bracket that ends a list: the last one ends at it, or at the end of the body. @param start behind the bracket that begins it */
function piecesOfList(body: Uint8Array, start: number, pieceBytes: number): Bytes[] {
  const pieces: Bytes[] = [];
  let from = start;
  let depth = 0;
  for (let i = start; i < body.length; i++) {
    const byte = body[i];
    if (byte === QUOTE) i = endOfString(body, i) - 1;
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      if (depth-- > 0) continue;
      pieces.push({ start: from, end: i });
      return pieces;
    } else if (byte === COMMA && depth === 0 && i - from >= pieceBytes) {
      pieces.push({ start: from, end: i });
      from = i + 1;
    }
  }
  return pieces;
}

/** Behind the quote that ends a string. @param start of the one that begins it */
function endOfString(body: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < body.length && body[i] !== QUOTE) i += body[i] === BACKSLASH ? 2 : 1;
  return i + 1;
}

/** Broken UTF-8 becomes U+FFFD. */
const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
