const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** What each byte of a string-ascii looks like inside the quotes (docs/spec/codec.md#printed-form). */
const ASCII_ESCAPES = Array.from({ length: 256 }, (_, byte) => asciiEscape(byte));

/** 1 for bytes that need no escape. */
const LITERAL = Uint8Array.from(ASCII_ESCAPES, text => (text.length === 1 ? 1 : 0));

/** The repr of string-ascii contents, without quotes. */
export function escapeAscii(bytes: Buffer, start: number, end: number): string {
  if (isLiteral(bytes, start, end)) return bytes.toString('latin1', start, end);
  let text = '';
  for (let at = start; at < end; at++) text += ASCII_ESCAPES[bytes[at] as number];
  return text;
}

/**
 * The repr of string-utf8 contents, without quotes: ASCII as in string-ascii, other characters as `\u{..}` around
 * their UTF-8 bytes in hex. Malformed sequences read as U+FFFD.
 */
export function escapeUtf8(bytes: Buffer, start: number, end: number): string {
  if (isLiteral(bytes, start, end)) return bytes.toString('latin1', start, end);
  let text = '';
  for (const character of bytes.toString('utf8', start, end)) {
    const code = character.codePointAt(0) ?? 0;
    text += code < 0x80 ? ASCII_ESCAPES[code] : `\\u{${utf8Hex(code)}}`;
  }
  return text;
}

/** Hex of the UTF-8 bytes of a character that is not ASCII. */
function utf8Hex(code: number): string {
  const last = HEX[0x80 | (code & 63)];
  if (code < 0x800) return `${HEX[0xc0 | (code >> 6)]}${last}`;
  const third = HEX[0x80 | ((code >> 6) & 63)];
  if (code < 0x10000) return `${HEX[0xe0 | (code >> 12)]}${third}${last}`;
  return `${HEX[0xf0 | (code >> 18)]}${HEX[0x80 | ((code >> 12) & 63)]}${third}${last}`;
}

function isLiteral(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (LITERAL[bytes[at] as number] === 0) return false;
  return true;
}

function asciiEscape(byte: number): string {
  const character = String.fromCharCode(byte);
  if (byte === 0x09) return '\\t';
  if (byte === 0x0a) return '\\n';
  if (byte === 0x0d) return '\\r';
  if (character === '"' || character === "'" || character === '\\') return `\\${character}`;
  if (byte >= 0x20 && byte <= 0x7e) return character;
  return `\\x${HEX[byte]}`;
}
