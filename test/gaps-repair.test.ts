import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleEvents } from './crash/round.ts';
import { callProgram } from './support/call-program.ts';
import { assertSameTables, canonicalTables } from './support/chain-assertions.ts';
import { onSqliteAtLeast } from './support/engines.ts';
import { archiveOf, asOtherToolWrites } from './support/other-archive.ts';
import { deliverTo, dumpOf, openPlace, type Place } from './support/places.ts';
import { scale } from './support/scale.ts';

const events = sampleEvents().slice(0, scale === 'short' ? 110 : 160);

interface Block {
  readonly at: number;
  readonly hash: string;
  readonly parent: string;
  readonly height: number;
}

const blocks: readonly Block[] = events.flatMap(({ path, body }, at) => {
  if (path !== '/new_block') return [];
  const {
    index_block_hash: hash,
    parent_index_block_hash: parent,
    block_height: height,
  } = JSON.parse(Buffer.from(body).toString()) as {
    index_block_hash: string;
    parent_index_block_hash: string;
    block_height: number;
  };
  return [{ at, hash, parent, height }];
});

/** The index ignores microblocks that arrive while a gap is open below them: the block that accepts them brings their transactions, at other positions. */
const LAST_WITH_MICROBLOCKS = 7;

/** Blocks with a delivered child, and no other block at their height. */
const removable = blocks.filter(
  ({ hash, height }) =>
    height > LAST_WITH_MICROBLOCKS &&
    blocks.some(({ parent }) => parent === hash) &&
    blocks.filter(other => other.height === height).length === 1,
);

const without = (missing: ReadonlySet<number>) => events.filter((_, i) => !missing.has(i));

const command = (...args: string[]) => callProgram([...args, '--chain-id', '0x80000000']);
const listed = async (place: Place) => callProgram(['gaps', ...place.args]);

async function assertWhole(place: Place, expected: Place): Promise<void> {
  const [actual, whole] = [await tablesOf(place), await tablesOf(expected)];
  assertSameTables(actual, whole);
  assert.equal((await command('verify', ...place.args)).code, 0);
  assert.equal((await listed(place)).code, 0);
}

const tablesOf = (place: Place) => canonicalTables({ dump: () => dumpOf(place) });

onSqliteAtLeast((engine, openFresh) => {
  test(`every second block that others build on is missing, and one pass over another archive repairs all (${engine})`, async t => {
    const missing = new Set(removable.filter((_, i) => i % 2 === 0).map(({ at }) => at));
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    await deliverTo(place, without(missing));
    await deliverTo(whole, events);
    const before = await listed(place);
    assert.equal(before.code, 1);
    assert.match(before.stdout, /^\d+\t0x[0-9a-f]{64}\t\d+\t\d+\t20\d\d-/m);
    assert.match(before.stderr, /gaps repair ARCHIVE[\s\S]*second node/);
    const { code, output } = await command(
      'gaps',
      'repair',
      await archiveOf(t, events.map(asOtherToolWrites)),
      ...place.args,
    );
    assert.equal(code, 0, output);
    assert.match(output, new RegExp(`${missing.size} blocks and \\d+ other events added; 0 blocks are still missing`));
    await assertWhole(place, whole);
  });

  test(`a run of missing blocks comes back with the other events of its heights, and nothing else is stored (${engine})`, async t => {
    const [first, last] = [9, 14].map(height => removable.find(block => block.height === height));
    assert.ok(first && last);
    const missing = new Set(
      events.flatMap(({ path }, i) => (i >= first.at && i <= last.at && path !== '/new_mempool_tx' ? [i] : [])),
    );
    const [place, whole] = [await openPlace(openFresh, t), await openPlace(openFresh, t)];
    await deliverTo(place, without(missing));
    await deliverTo(whole, events);
    // Each member of the JSON in another order, so that only hashes identify what is stored.
    const file = await archiveOf(t, events.map(asOtherToolWrites));
    const { code, output } = await command('gaps', 'repair', file, ...place.args);
    assert.equal(code, 0, output);
    const [, added, others] = /^(\d+) blocks and (\d+) other events added/m.exec(output) ?? [];
    assert.ok(Number(added) + Number(others) <= missing.size, output);
    await assertWhole(place, whole);
    assert.match((await command('gaps', 'repair', file, ...place.args)).output, /No block is missing/);
  });

  test(`an archive that has only a part of a gap names the block that is then missing (${engine})`, async t => {
    const [first, second] = blocks.filter(({ height }) => height === 8 || height === 9);
    assert.ok(first && second && second.parent === first.hash);
    const place = await openPlace(openFresh, t);
    await deliverTo(place, without(new Set([first.at, second.at])));
    const file = await archiveOf(t, events.slice(second.at, second.at + 1));
    const { code, stdout } = await command('gaps', 'repair', file, ...place.args);
    assert.equal(code, 1);
    assert.match(
      stdout,
      new RegExp(`1 blocks and 0 other events added; 1 blocks are still missing\n8\t${first.hash}\t`),
    );
  });

  test(`gaps explains what it cannot do (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await deliverTo(place, events.slice(0, 20));
    assert.match((await listed(place)).stderr, /No block is missing/);
    assert.equal((await command('gaps', 'mend', ...place.args)).code, 2);
    assert.match((await command('gaps', 'repair', ...place.args)).stderr, /needs an archive/);
    assert.equal((await command('gaps', 'repair', join(import.meta.dirname, 'README.md'), ...place.args)).code, 1);
  });
});
