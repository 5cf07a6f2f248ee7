import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleEvents } from '../../../test/crash/round.ts';
import { openFreshOf } from '../../../test/support/engines.ts';
import { deliverTo, openPlace } from '../../../test/support/places.ts';
import { readOptions } from '../options/options.ts';
import { exportJournal } from './export.ts';

test('an export that is stopped leaves nothing, and removes what a killed one has left', async t => {
  const place = await openPlace(openFreshOf.sqlite, t);
  await deliverTo(place, sampleEvents().slice(0, 60));
  const directory = mkdtempSync(join(tmpdir(), 'export-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const options = readOptions(['export', join(directory, 'chain.tsv'), ...place.args], {});
  const left = join(directory, `chain.tsv.${process.pid}.partial`);
  writeFileSync(left, 'of a killed one');
  assert.equal(await exportJournal(options, AbortSignal.abort()), 1);
  assert.deepEqual(readdirSync(directory), []);
  writeFileSync(left, 'of a killed one');
  assert.equal(await exportJournal(options, new AbortController().signal), 0);
  assert.deepEqual(readdirSync(directory), ['chain.tsv']);
});
