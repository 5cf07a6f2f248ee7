import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/base/store/sqlite.ts';
import { canLimitDecoder, createImageProcessor } from '../../src/metadata/images/process.ts';
import { directoryImageStore } from '../../src/metadata/images/store.ts';
import { DEFAULT_METADATA_LIMITS } from '../../src/metadata/limits.ts';
import fc from '../support/fast-check.ts';
import { MetadataWorld } from '../support/metadata-world.ts';
import type { Finding, Size } from './finding.ts';
import { attackExchanges, MOVES, type Script } from './metadata/hostile-exchanges.ts';
import { attackImage, HOSTILE_IMAGES } from './metadata/hostile-images.ts';
import { attackWithUnreadImages } from './metadata/unread-images.ts';

/** The time limit of one document in milliseconds, and the extra time that the slowest may take on a busy machine. */
const DOCUMENT_MS = 1_000;
const PATIENCE_MS = 4_000;

async function exchanges(scripts: readonly Script[]): Promise<Finding[]> {
  const fetches = 2;
  let [unsettled, lost, slowest] = [0, 0, 0];
  // Few enough servers at once that this test itself is not the bottleneck.
  for (let i = 0; i < scripts.length; i += 40) {
    const some = scripts.slice(i, i + 40);
    const { settled, lostSlots, slowestMs } = await attackExchanges({
      scripts: some,
      fetches,
      documentMs: DOCUMENT_MS,
    });
    unsettled += some.length * fetches - settled;
    lost += lostSlots;
    slowest = Math.max(slowest, slowestMs);
  }
  return [
    { what: 'fetches that never end', worst: unsettled, bound: 0, unit: '' },
    { what: 'places of the worker that are lost', worst: lost, bound: 0, unit: '' },
    { what: 'the longest fetch', worst: slowest, bound: DOCUMENT_MS + PATIENCE_MS, unit: 'ms' },
  ];
}

/** Servers that switch protocols, with and without more. */
export function switchedProtocols(): Promise<Finding[]> {
  const switching = MOVES.filter(move => move.kind === 'send' && move.text.startsWith('HTTP/1.1 101'));
  const waiting = { kind: 'wait', ms: 20 } as const;
  return exchanges(switching.flatMap(move => [[move], [move, move], [move, waiting, move], [waiting, move]]));
}

/** Servers that do anything. */
export function hostileServers({ hostileServers: count }: Size, seed: number): Promise<Finding[]> {
  const script = fc.array(fc.constantFrom(...MOVES), { maxLength: 6 });
  return exchanges(fc.sample(script, { numRuns: count, seed }));
}

/** The memory of the decoder process without its images. */
const OWN_BYTES = 250_000_000;

/** Images that are cheap to send and costly to draw. */
export async function costlyImages({ name, image }: Size): Promise<Finding[]> {
  const limits = DEFAULT_METADATA_LIMITS;
  const names = Object.keys(HOSTILE_IMAGES);
  // The short form leaves out images that end only at their time limit.
  const tried = name === 'full' ? names : ['a large picture in a drawing', 'very deep groups', 'a large picture'];
  let [peakBytes, longestMs] = [0, 0];
  for (const one of canLimitDecoder(limits) ? tried : []) {
    const make = HOSTILE_IMAGES[one];
    if (!make) throw new Error(`there is no image called ${one}`);
    const found = await attackImage(await make(image), limits);
    peakBytes = Math.max(peakBytes, found.peakBytes);
    longestMs = Math.max(longestMs, found.ms);
  }
  return [
    {
      what: 'memory of the decoder',
      worst: peakBytes / 1e6,
      bound: (limits.imageMemoryBytes + OWN_BYTES) / 1e6,
      unit: 'MB',
    },
    {
      what: 'the longest drawing',
      worst: longestMs / 1000,
      bound: (limits.imageDecodeMs + PATIENCE_MS) / 1000,
      unit: 's',
    },
  ];
}

const NOISE_BYTES = 3_000_000;

/** A different picture for each token: some hundred bytes, but tens of thousands of times as large as PNG. */
const noise = (token: number): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><filter id="f"><feTurbulence baseFrequency="0.9"
     numOctaves="3" seed="${token}"/></filter><rect width="600" height="600" filter="url(#f)"/></svg>`,
  );

/** A contract whose tokens have their images in their documents, all of them different. */
export async function dataUris({ dataUriTokens: count }: Size): Promise<Finding[]> {
  const home = mkdtempSync(join(tmpdir(), 'stacks-index-data-uris-'));
  const store = directoryImageStore(join(home, 'images'));
  const processor = createImageProcessor(DEFAULT_METADATA_LIMITS);
  const db = openSqlite(join(home, 'index.sqlite'), { durability: 'normal' });
  try {
    const world = await MetadataWorld.open(db, {
      images: { store, processor },
      limits: { contractImageBytes: NOISE_BYTES },
    });
    const tokens = Array.from({ length: count }, (_, i) => i + 1);
    world.setResultsFor('cats');
    for (const id of tokens) {
      world.document(`ipfs://cats/${id}`, { name: `cat ${id}`, image: `ipfs://cats-${id}` });
      world.web.images.set(`ipfs://cats-${id}`, noise(id));
    }
    await world.block(undefined, world.deploy('cats'), world.mint('cats', ...tokens));
    await world.work();
    const written = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.png'));
    const bytes = written.reduce((total, name) => total + statSync(join(home, name)).size, 0);
    return [
      { what: 'images on the disk', worst: bytes / 1e6, bound: NOISE_BYTES / 1e6, unit: 'MB' },
      { what: 'whether none was stored', worst: written.length === 0 ? 1 : 0, bound: 0, unit: '' },
    ];
  } finally {
    await processor.close();
    await db.close();
    rmSync(home, { recursive: true });
  }
}

/** Clients that request images and do not read them. */
export async function unreadImages({ name }: Size): Promise<Finding[]> {
  const { heldBytes } = await attackWithUnreadImages({ readers: name === 'full' ? 120 : 30, bytes: 14_000_000 });
  return [{ what: 'memory for images', worst: heldBytes / 1e6, bound: 100, unit: 'MB' }];
}
