import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import { type MetadataError, metadataError } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';
import type { RenderedImage } from './process.ts';

/** Smallest edge of a rendered drawing: drawings have no pixels of their own. */
const SVG_EDGE = 1024;
/** Dots per inch at which a unit of a drawing is a pixel, and the most that the decoder accepts. */
const [SVG_DENSITY, HIGHEST_DENSITY] = [72, 100_000];

const LOADERS = ['Png', 'Jpeg', 'Nsgif', 'Webp', 'Heif', 'Svg'].map(name => `VipsForeignLoad${name}Buffer`);

/** Forbids reading files and all other formats; one thread, no cache: for a process that does nothing else. */
export function restrictDecoder(): void {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.cache(false);
  sharp.concurrency(1);
}

/**
 * Decodes the first frame and makes PNGs. SVG is drawn from memory: without a base its references resolve to nothing,
 * and it runs no scripts. Call it in the process of `decoder.ts` only, where a crash does no harm.
 */
export async function render(bytes: Uint8Array, limits: MetadataLimits): Promise<Result<RenderedImage, MetadataError>> {
  const format = imageFormat(bytes);
  if (!format) return unparsable('no PNG, JPEG, GIF, WebP, AVIF or SVG');
  const options: SharpOptions = { limitInputPixels: limits.imagePixels, failOn: 'error', pages: 1 };
  try {
    // Reads only the header, so it needs no limit; with a limit, the error would not report the size.
    const { width, height } = await sharp(bytes, { ...options, limitInputPixels: false }).metadata();
    const embedded = format === 'svg' ? await embeddedPixels(bytes) : 0;
    if (width * height + embedded > limits.imagePixels)
      return tooLarge(`${width} x ${height} pixels, ${embedded} embedded`);
    const density = Math.min((SVG_DENSITY * SVG_EDGE) / Math.max(width, height), HIGHEST_DENSITY);
    const source = sharp(bytes, format === 'svg' && density > SVG_DENSITY ? { ...options, density } : options);
    const { data, info } = await smallEnough(source.autoOrient(), limits);
    const thumbnail = await sharp(data)
      .resize({ width: limits.thumbnailWidth, withoutEnlargement: true })
      .png()
      .toBuffer();
    return ok({ image: data, thumbnail, width: info.width, height: info.height });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /pixel limit/i.test(message) ? tooLarge(message) : unparsable(message);
  }
}

/** Scales a PNG down until it is within the byte limit, as noise hardly compresses. */
async function smallEnough(source: Sharp, { imageEdge, storedImageBytes }: MetadataLimits) {
  let rendered = await png(source, imageEdge);
  for (;;) {
    const excess = rendered.data.length / storedImageBytes;
    const largest = Math.max(rendered.info.width, rendered.info.height);
    if (excess <= 1 || largest <= SMALLEST_EDGE) return rendered;
    const edge = Math.floor((0.9 * largest) / Math.sqrt(excess));
    rendered = await png(sharp(rendered.data), Math.max(SMALLEST_EDGE, edge));
  }
}

const png = (source: Sharp, edge: number) =>
  source
    .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer({ resolveWithObject: true });

/** A PNG with this edge or a smaller one is stored whatever its bytes. */
const SMALLEST_EDGE = 64;

const DATA_URI = /data:image\/[^"'()<>]*?base64,([^"'()<>]*)/gi;

/**
 * Pixels of the pictures that a drawing embeds plainly. For pictures that are disguised by entities or as drawings within
 * drawings, the limits of the process apply.
 */
async function embeddedPixels(svg: Uint8Array): Promise<number> {
  let pixels = 0;
  for (const [, base64 = ''] of Buffer.from(svg).toString('latin1').matchAll(DATA_URI)) {
    const picture = Buffer.from(base64.replace(/%2b/gi, '+').replace(/%2f/gi, '/'), 'base64');
    const size = await sharp(picture, { limitInputPixels: false })
      .metadata()
      .catch(() => undefined);
    pixels += size ? size.width * size.height : 0;
  }
  return pixels;
}

const unparsable = (message: string): Result<never, MetadataError> =>
  fail(metadataError('image', 'unparsable', 'permanent', message));

const tooLarge = (message: string): Result<never, MetadataError> =>
  fail(metadataError('image', 'tooLarge', 'permanent', message));

type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif' | 'svg';

/** Most bytes before an SVG element: a declaration, comments and a document type may come first. */
const SVG_HEAD = 4096;
const SVG = /^(\xef\xbb\xbf)?\s*(<svg[\s>]|<[?!][\s\S]*?<svg[\s>])/i;

/**
 * The format of an image by its first bytes; undefined for formats that are not decoded. The type that a server or a
 * `data:` URI declares does not count.
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
