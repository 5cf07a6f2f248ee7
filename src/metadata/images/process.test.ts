import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { attackImage, HOSTILE_IMAGES } from '../../../test/attack/metadata/hostile-images.ts';
import fc from '../../../test/support/fast-check.ts';
import { pngClaiming, startHostileWeb } from '../../../test/support/hostile-web.ts';
import { atLength } from '../../../test/support/scale.ts';
import { DEFAULT_METADATA_LIMITS, type MetadataLimits } from '../limits.ts';
import {
  canLimitDecoder,
  createImageProcessor,
  type ImageProcessor,
  limitCommands,
  type ProcessedImage,
} from './process.ts';
import { imageFormat } from './render.ts';

/** Enough time for a busy machine; cases about time set their own. */
const LIMITS: MetadataLimits = { ...DEFAULT_METADATA_LIMITS, imageDecodeMs: 90_000 };

const processors: ImageProcessor[] = [];
function processorWith(changed: Partial<MetadataLimits> = {}): ImageProcessor {
  const processor = createImageProcessor({ ...LIMITS, ...changed });
  processors.push(processor);
  return processor;
}
after(() => Promise.all(processors.map(processor => processor.close())));

let usual: ImageProcessor;
before(() => {
  usual = processorWith();
});

async function processed(bytes: Uint8Array, processor = usual): Promise<ProcessedImage> {
  const result = await processor.process(bytes);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

async function reasonOf(bytes: Uint8Array, processor = usual): Promise<number> {
  const result = await processor.process(bytes);
  assert.ok(!result.ok);
  return result.error.reason;
}

const solid = (width: number, height: number, background: string): Sharp =>
  sharp({ create: { width, height, channels: 4, background } });
const svg = (content: string, size = 'width="8" height="8"'): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${content}</svg>`,
  );

/** Red, green, blue and alpha in the middle of a PNG. */
async function middle(png: Uint8Array): Promise<number[]> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = 4 * (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2));
  return [...data.subarray(at, at + 4)];
}

/** Runs a script under the limits of the decoder process. */
function runLimited(limits: MetadataLimits, script: string) {
  const command = `${limitCommands(limits)} && exec "$0" -e "$1"`;
  return spawnSync('/bin/sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
}

describe('formats', () => {
  const source = () => solid(600, 400, 'blue');
  const FORMATS: Readonly<Record<string, () => Promise<Buffer>>> = {
    png: () => source().png().toBuffer(),
    jpeg: () => source().jpeg().toBuffer(),
    gif: () => source().gif().toBuffer(),
    webp: () => source().webp({ lossless: true }).toBuffer(),
    avif: () => source().avif({ lossless: true, effort: 0 }).toBuffer(),
    svg: async () => svg('<rect width="600" height="400" fill="blue"/>', 'width="600" height="400"'),
  };
  for (const [format, make] of Object.entries(FORMATS))
    test(`${format} becomes a PNG and a thumbnail`, async () => {
      const bytes = await make();
      assert.equal(imageFormat(bytes), format);
      const { image, thumbnail, width, height } = await processed(bytes);
      assert.deepEqual([imageFormat(image), imageFormat(thumbnail)], ['png', 'png']);
      assert.ok(Math.abs(width / height - 1.5) < 0.01);
      const small = await sharp(thumbnail).metadata();
      assert.deepEqual([small.width, small.height], [300, 200]);
      const [red = 0, green = 0, blue = 0, alpha] = await middle(image);
      assert.ok(red < 8 && green < 8 && blue > 247 && alpha === 255);
    });

  const OTHERS: Readonly<Record<string, () => Promise<Buffer>>> = {
    tiff: () => source().tiff().toBuffer(),
    html: async () => Buffer.from('<!doctype html><p>not an svg</p>'),
    pdf: async () => Buffer.from('%PDF-1.7'),
    text: async () => Buffer.from('GIF8'),
    nothing: async () => Buffer.alloc(0),
  };
  for (const [format, make] of Object.entries(OTHERS))
    test(`${format} is error 106`, async () => assert.equal(await reasonOf(await make()), 106));

  test('a broken image is error 106, and does not harm the next', async () => {
    const png = await solid(600, 400, 'red').png().toBuffer();
    assert.equal(await reasonOf(png.subarray(0, png.length / 2)), 106);
    assert.equal(await reasonOf(Buffer.from('RIFF\0\0\0\0WEBPgarbage')), 106);
    assert.equal((await processed(png)).width, 600);
  });

  test('no bytes make the check of formats throw', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), bytes => void imageFormat(bytes)));
  });
});

describe('what is made', () => {
  test('small images are not enlarged, large ones fit into the limit', async () => {
    const small = await processed(await solid(20, 10, 'red').png().toBuffer());
    assert.deepEqual([small.width, small.height], [20, 10]);
    assert.equal((await sharp(small.thumbnail).metadata()).width, 20);
    const large = await processed(await solid(500, 1000, 'red').png().toBuffer(), processorWith({ imageEdge: 100 }));
    assert.deepEqual([large.width, large.height], [50, 100]);
  });

  test('what hardly compresses is made smaller, until it has no more bytes than are stored', async () => {
    // A few hundred bytes that were 900 kB as PNG.
    const noise =
      '<filter id="n"><feTurbulence baseFrequency="9"/></filter><rect width="512" height="512" filter="url(#n)"/>';
    const limits = { storedImageBytes: 125_000, imageEdge: 512 };
    const { image, width, height } = await processed(svg(noise, 'width="512" height="512"'), processorWith(limits));
    assert.ok(image.length <= limits.storedImageBytes, String(image.length));
    assert.ok(width === height && width >= 100, String(width));
  });

  test('a small drawing is drawn large', async () => {
    const { width, height } = await processed(svg('<rect width="8" height="4"/>', 'width="8" height="4"'));
    assert.deepEqual([width, height], [1024, 512]);
  });

  test('only the first frame of an animation counts', async () => {
    const frames = await Promise.all(['red', 'lime'].map(colour => solid(10, 10, colour).png().toBuffer()));
    const gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    assert.equal((await sharp(gif).metadata()).pages, 2);
    const { image, height } = await processed(gif);
    assert.deepEqual([height, await middle(image)], [10, [255, 0, 0, 255]]);
  });

  test('a photo stands upright, and says nothing about where it was taken', async () => {
    const photo = solid(40, 20, 'red').flatten().jpeg();
    const jpeg = await photo.withMetadata({ orientation: 6, exif: { IFD0: { Copyright: 'somebody' } } }).toBuffer();
    assert.ok(jpeg.includes('somebody'));
    const { image, width, height } = await processed(jpeg);
    assert.deepEqual([width, height], [20, 40]);
    assert.equal(image.includes('somebody'), false);
    assert.equal((await sharp(image).metadata()).exif, undefined);
  });
});

describe('limits', () => {
  test('30,000 x 30,000 pixels are refused by their header', async () => {
    const bomb = pngClaiming(30_000, 30_000);
    assert.ok(bomb.length < 1000);
    assert.equal(await reasonOf(bomb), 102);
    assert.equal(await reasonOf(svg('', 'width="30000" height="30000"')), 102);
  });

  test('more bytes than allowed are refused', async () => {
    assert.equal(await reasonOf(Buffer.alloc(10_000_001)), 102);
  });

  test('more memory than allowed ends the decoder, and the next image has a new one', async () => {
    const processor = processorWith({ imageMemoryBytes: 1 });
    assert.equal(
      await reasonOf(svg('<rect width="6000" height="6000"/>', 'width="6000" height="6000"'), processor),
      102,
    );
    assert.equal(
      await reasonOf(svg('<rect width="6000" height="6000"/>', 'width="6000" height="6000"'), processor),
      102,
    );
  });

  test('what takes too long is killed, and the next image has a new decoder', async () => {
    const changing = { ...LIMITS };
    const processor = createImageProcessor(changing);
    processors.push(processor);
    const pixel = await solid(1, 1, 'red').png().toBuffer();
    await processed(pixel, processor);
    changing.imageDecodeMs = 1;
    assert.equal(
      await reasonOf(svg('<rect width="6000" height="6000"/>', 'width="6000" height="6000"'), processor),
      104,
    );
    changing.imageDecodeMs = 90_000;
    await processed(pixel, processor);
  });

  test('an aborted image throws the reason of its signal; the others are not touched', async () => {
    const large = svg('<rect width="6000" height="6000"/>', 'width="6000" height="6000"');
    const stop = new AbortController();
    const aborted = assert.rejects(usual.process(large, stop.signal), /enough/);
    const next = processed(await solid(3, 3, 'red').png().toBuffer());
    stop.abort(new Error('enough'));
    await aborted;
    assert.equal((await next).width, 3);
    await assert.rejects(usual.process(large, stop.signal), /enough/);
  });

  test('closing fails the image of the moment, and can be repeated', async () => {
    const processor = processorWith();
    await processed(await solid(1, 1, 'red').png().toBuffer(), processor);
    const large = processor.process(svg('<rect width="6000" height="6000"/>', 'width="6000" height="6000"'));
    await new Promise(resolve => setImmediate(resolve));
    await processor.close();
    await processor.close();
    assert.equal((await large).ok, false);
  });
});

describe('hostile images', () => {
  const skip = canLimitDecoder(LIMITS) ? false : 'this system cannot limit a process';
  /** Memory of the decoder process itself, and the amount by which it may exceed its limit before it is stopped. */
  const OWN_BYTES = 250_000_000;
  const limits = { ...LIMITS, imageMemoryBytes: 150_000_000, imageDecodeMs: 1_000 };
  /** One for each way to be costly; the others at length. */
  const IN_SHORT = ['a large picture in a drawing', 'filters upon filters', 'very deep groups', 'noise as PNG'];
  for (const [name, make] of Object.entries(HOSTILE_IMAGES))
    test(`${name} takes neither more memory nor more time than allowed`, {
      skip: skip || (!IN_SHORT.includes(name) && atLength),
    }, async () => {
      const found = await attackImage(await make({ edge: 7_000, bytes: 1_000_000 }), limits);
      assert.match(found.outcome, /^(drawn|102|104|106)$/);
      assert.ok(found.peakBytes < limits.imageMemoryBytes + OWN_BYTES, `${found.peakBytes} bytes`);
    });

  test('without its own check of memory, the operating system ends the decoder', { skip }, async () => {
    const { stderr, signal } = runLimited({ ...LIMITS, imageMemoryBytes: 0 }, 'Buffer.alloc(1.5e9, 1)');
    assert.ok(signal !== null || /memory|allocation/i.test(stderr), stderr);
  });

  test('pixels of pictures in a drawing count', async () => {
    const make = HOSTILE_IMAGES['many pictures in a drawing'];
    assert.equal(await reasonOf(await (make?.({ edge: 9_000, bytes: 0 }) ?? Buffer.alloc(0))), 102);
  });
});

describe('drawings', () => {
  const picture = () => solid(8, 8, 'red').png().toBuffer();

  test('scripts do not run', async () => {
    const script = '<script>while(true);</script><rect width="8" height="8" fill="lime" onload="while(true);"/>';
    assert.deepEqual(await middle((await processed(svg(script))).image), [0, 255, 0, 255]);
  });

  test('pictures within the drawing are drawn, files and web pages are not read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'metadata-image-'));
    const web = await startHostileWeb({ '/red.png': async (_, response) => void response.end(await picture()) });
    try {
      const file = join(folder, 'red.png');
      writeFileSync(file, await picture());
      const drawn = async (href: string, attribute = 'href') =>
        middle((await processed(svg(`<image ${attribute}="${href}" width="8" height="8"/>`))).image);
      assert.deepEqual(await drawn(`data:image/png;base64,${(await picture()).toString('base64')}`), [255, 0, 0, 255]);
      for (const href of [file, pathToFileURL(file).href, 'red.png', `${web.origin}/red.png`]) {
        assert.deepEqual(await drawn(href), [0, 0, 0, 0], href);
        assert.deepEqual(await drawn(href, 'xlink:href'), [0, 0, 0, 0], href);
      }
      assert.equal(web.connections(), 0);
    } finally {
      await web.close();
      rmSync(folder, { recursive: true });
    }
  });

  test('entities reach no file, and do not multiply without end', async () => {
    const withEntities = (entities: string, use: string) =>
      Buffer.from(`<?xml version="1.0"?><!DOCTYPE svg [${entities}]>${svg(`<text y="8">${use}</text>`)}`);
    const folder = mkdtempSync(join(tmpdir(), 'metadata-image-'));
    try {
      const file = join(folder, 'drawing');
      writeFileSync(file, '<rect width="8" height="8" fill="red"/>');
      const reading = withEntities(`<!ENTITY file SYSTEM "${pathToFileURL(file).href}">`, '</text>&file;<text>');
      const result = await usual.process(reading);
      if (result.ok) assert.deepEqual(await middle(result.value.image), [0, 0, 0, 0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    const laughs = Array.from({ length: 12 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
    const bomb = withEntities(`<!ENTITY l0 "ha">${laughs}`, '&l12;');
    const result = await usual.process(bomb);
    assert.ok(result.ok || [102, 104, 106].includes(result.error.reason));
  });
});
