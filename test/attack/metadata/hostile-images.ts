import { randomFillSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { createImageProcessor } from '../../../src/metadata/images/process.ts';
import type { MetadataLimits } from '../../../src/metadata/limits.ts';
import { blackPng } from '../../support/hostile-web.ts';

const svg = (content: string, size = 'width="1000" height="1000"'): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${content}</svg>`);

const embedded = (png: Buffer): string => `data:image/png;base64,${png.toString('base64')}`;

export interface ImageSize {
  /** Width and height of raster pictures. */
  readonly edge: number;
  /** About the size of a file. */
  readonly bytes: number;
}

/** Images that are cheap to send and expensive to draw, by the cause of the expense. */
export const HOSTILE_IMAGES: Readonly<Record<string, (size: ImageSize) => Buffer | Promise<Buffer>>> = {
  'a large picture in a drawing': ({ edge }) => svg(`<image href="${embedded(blackPng(edge))}" width="9" height="9"/>`),
  'a large picture in a drawing, by an entity': ({ edge }) =>
    Buffer.from(
      `<!DOCTYPE svg [<!ENTITY d "${embedded(blackPng(edge)).slice(0, 5)}">]>` +
        svg(`<image href="&d;${embedded(blackPng(edge)).slice(5)}" width="9" height="9"/>`),
    ),
  'a large picture in a drawing in a drawing': ({ edge }) => {
    const inner = svg(`<image href="${embedded(blackPng(edge))}" width="9" height="9"/>`);
    return svg(`<image href="data:image/svg+xml;base64,${inner.toString('base64')}" width="9" height="9"/>`);
  },
  'many pictures in a drawing': ({ edge }) => {
    const href = embedded(blackPng(Math.floor(edge / 8)));
    return svg(`<image href="${href}" width="9" height="9"/>`.repeat(64));
  },
  'filters upon filters': () =>
    svg(
      `<filter id="f" x="0" y="0" width="1" height="1">${'<feTurbulence numOctaves="10"/><feGaussianBlur stdDeviation="99"/>'.repeat(40)}</filter>
       <rect width="6000" height="6000" filter="url(#f)"/>`,
      'width="6000" height="6000"',
    ),
  'patterns within patterns': () => {
    const pattern = (at: number) =>
      `<pattern id="p${at}" width="1" height="1" patternUnits="userSpaceOnUse"><rect width="9" height="9" fill="url(#p${at + 1})"/></pattern>`;
    return svg(
      `${Array.from({ length: 12 }, (_, at) => pattern(at)).join('')}<rect width="999" height="999" fill="url(#p0)"/>`,
    );
  },
  'very many paths': ({ bytes }) => svg('<path d="M0 0L999 999Q5 5 9 9z" stroke="red"/>'.repeat(bytes / 50)),
  'very deep groups': ({ bytes }) => svg('<g>'.repeat(bytes / 7) + '</g>'.repeat(bytes / 7)),
  'one path without end': ({ bytes }) => svg(`<path stroke="red" d="M0 0${' l9 9-9 3'.repeat(bytes / 9)}"/>`),
  'noise as PNG': ({ bytes }) => {
    const edge = Math.floor(Math.sqrt(bytes / 3.05));
    const raw = randomFillSync(Buffer.alloc(3 * edge * edge));
    return sharp(raw, { raw: { width: edge, height: edge, channels: 3 } })
      .png()
      .toBuffer();
  },
  'a large picture': ({ edge }) => blackPng(edge),
  'the beginning of a PNG, then noise': ({ bytes }) =>
    Buffer.concat([blackPng(6000).subarray(0, 2000), randomFillSync(Buffer.alloc(bytes - 2000))]),
};

export interface ImageFindings {
  /** Reason number of the error, or `drawn`. */
  readonly outcome: string;
  readonly ms: number;
  /** The most resident memory that the decoder process had. */
  readonly peakBytes: number;
}

const SAMPLE_MS = 10;

/** Processes an image, and measures the process that decodes it. */
export async function attackImage(bytes: Uint8Array, limits: MetadataLimits): Promise<ImageFindings> {
  const processor = createImageProcessor(limits);
  let peakBytes = 0;
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, ...decoders().map(peakOf));
  }, SAMPLE_MS);
  const started = performance.now();
  try {
    const result = await processor.process(bytes);
    return { outcome: result.ok ? 'drawn' : String(result.error.reason), ms: performance.now() - started, peakBytes };
  } finally {
    clearInterval(sampling);
    await processor.close();
  }
}

/** Ids of the decoder processes that this process has started. */
function decoders(): string[] {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').split(' ');
  return children.filter(id => id !== '' && readProc(id, 'cmdline').includes('images/decoder'));
}

const peakOf = (id: string): number => 1024 * Number(/^VmHWM:\s*(\d+)/m.exec(readProc(id, 'status'))?.[1] ?? 0);

function readProc(id: string, file: string): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1');
  } catch {
    return ''; // it has ended
  }
}
