export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif' | 'svg';

/** How far into a file an SVG may begin: there may be a declaration, comments and a document type first. */
const SVG_HEAD = 4096;
const SVG = /^(\xef\xbb\xbf)?\s*(<svg[\s>]|<[?!][\s\S]*?<svg[\s>])/i;

/**
 * The format of an image by its first bytes; undefined when it is none that is decoded. What a server or a `data:` URI calls it does
 * not count.
 */
export function imageFormat(bytes: Uint8Array): ImageFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SVG_HEAD));
  const ascii = (from: number, to: number) => head.toString('latin1', from, to);
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (ascii(0, 3) === '\xff\xd8\xff') return 'jpeg';
  if (/^GIF8[79]a$/.test(ascii(0, 6))) return 'gif';
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return 'webp';
  if (/^ftypavi[fs]$/.test(ascii(4, 12))) return 'avif';
  return SVG.test(ascii(0, SVG_HEAD)) ? 'svg' : undefined;
}
