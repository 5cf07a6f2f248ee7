import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canLimitDecoder } from '../../src/metadata/images/process.ts';
import { DEFAULT_METADATA_LIMITS } from '../../src/metadata/limits.ts';
import fc from '../support/fast-check.ts';
import { scale } from '../support/scale.ts';
import { attackExchanges, MOVES } from './metadata/hostile-exchanges.ts';
import { attackImage, HOSTILE_IMAGES } from './metadata/hostile-images.ts';
import { attackWithUnreadImages } from './metadata/unread-images.ts';

/** The tests beside the code try the same in a short form. */
const tooLong = scale === 'short' ? 'in npm run test:all and npm run attack' : false;

describe('images of 10 MB and of 20,000 x 20,000 pixels', () => {
  const skip = tooLong || (canLimitDecoder(DEFAULT_METADATA_LIMITS) ? false : 'this system cannot limit a process');
  /** What the program itself has, and what it may pass its limit by. */
  const OWN_BYTES = 250_000_000;
  for (const [name, make] of Object.entries(HOSTILE_IMAGES))
    test(`${name}: memory within the limit`, { skip }, async t => {
      const found = await attackImage(await make({ edge: 20_000, bytes: 9_900_000 }), DEFAULT_METADATA_LIMITS);
      t.diagnostic(`${found.outcome}, ${Math.round(found.ms)} ms, ${Math.round(found.peakBytes / 1e6)} MB`);
      assert.match(found.outcome, /^(drawn|102|104|106)$/);
      assert.ok(found.peakBytes < DEFAULT_METADATA_LIMITS.imageMemoryBytes + OWN_BYTES);
    });
});

test('1,000 servers that do anything: every fetch settles and all slots come back', { skip: tooLong }, async t => {
  const script = fc.array(fc.constantFrom(...MOVES), { maxLength: 6 });
  for (let round = 0; round < 25; round++) {
    const scripts = fc.sample(script, { numRuns: 40, seed: round });
    const found = await attackExchanges({ scripts, fetches: 2, documentMs: 1_000 });
    assert.deepEqual([found.settled, found.lostSlots], [80, 0], `seed ${round}`);
    if (round === 0) t.diagnostic(`slowest ${Math.round(found.slowestMs)} ms`);
  }
});

test('120 images of 14 MB that nobody reads hold no 100 MB', { skip: tooLong }, async t => {
  const { heldBytes } = await attackWithUnreadImages({ readers: 120, bytes: 14_000_000 });
  t.diagnostic(`${Math.round(heldBytes / 1e6)} MB`);
  assert.ok(heldBytes < 100_000_000);
});
