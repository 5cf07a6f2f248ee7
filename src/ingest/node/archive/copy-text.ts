/**
 * Escaping of the text format of PostgreSQL's COPY (docs/spec/ingestion.md#archives): a backslash and a letter for what would break a
 * line or a column. Works on bytes, so text that is not valid UTF-8 passes unchanged.
 */
const backslash = 0x5c;

/** Maps a byte to its letter after a backslash; 0 for all others. */
const letterOf = new Uint8Array(256);
/** Maps a letter after a backslash to its byte. */
const byteOf = new Uint8Array(256);
for (const [byte, letter] of [
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\\', '\\'],
] as const) {
  letterOf[byte.charCodeAt(0)] = letter.charCodeAt(0);
  byteOf[letter.charCodeAt(0)] = byte.charCodeAt(0);
}

/** The same array when nothing needs escaping. */
export function escapeCopyText(bytes: Uint8Array): Uint8Array {
  let special = 0;
  for (let i = 0; i < bytes.length; i++) if (letterOf[bytes[i] as number] !== 0) special++;
  if (special === 0) return bytes;

  const escaped = Buffer.allocUnsafe(bytes.length + special);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    const letter = letterOf[byte] as number;
    if (letter === 0) {
      escaped[length++] = byte;
    } else {
      escaped[length++] = backslash;
      escaped[length++] = letter;
    }
  }
  return escaped;
}

/** The same array when there is no backslash; undefined when there is an escape that COPY never writes. */
export function unescapeCopyText(bytes: Uint8Array): Uint8Array | undefined {
  if (!bytes.includes(backslash)) return bytes;
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte !== backslash) {
      plain[length++] = byte;
      continue;
    }
    const original = byteOf[bytes[++i] ?? 0] as number;
    if (original === 0) return undefined;
    plain[length++] = original;
  }
  return plain.subarray(0, length);
}

const tab = 0x09;

/** The columns before the first `most` tabs, or before fewer if the line has fewer, and the rest of the line. */
export function cutAtTabs(
  bytes: Uint8Array,
  most: number,
): { readonly found: Uint8Array[]; readonly rest: Uint8Array } {
  const found: Uint8Array[] = [];
  let start = 0;
  for (let at = bytes.indexOf(tab); at !== -1 && found.length < most; at = bytes.indexOf(tab, start)) {
    found.push(bytes.subarray(start, at));
    start = at + 1;
  }
  return { found, rest: bytes.subarray(start) };
}
