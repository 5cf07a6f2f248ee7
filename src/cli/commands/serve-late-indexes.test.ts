import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { onEveryEngine } from '../../../test/support/engines.ts';
import { openPlace } from '../../../test/support/places.ts';
import { hasLate } from '../../operate/storage/late-indexes.ts';
import { openStorage } from '../../operate/storage/storage.ts';
import { readOptions } from '../options/options.ts';
import { servingOptions, startServing } from './serve.ts';

onEveryEngine((engine, openFresh) => {
  test(`serve logs that it makes the indexes which a stopped replay has left, and makes them (${engine})`, async t => {
    const place = await openPlace(openFresh, t);
    await (await openStorage({ ...place, isFilled: true })).close();
    const args = ['serve', ...place.args, '--event-port', '0', '--mode', 'writeonly', '--chain-id', '0x80000000'];
    const log: string[] = [];
    const logger = pino({}, { write: (line: string) => void log.push(line) });
    const running = await startServing(servingOptions(readOptions(args, {})), logger);
    await running.close();
    assert.ok(log.some(line => line.includes('has not made some of its indexes')));

    const made = await openStorage({ ...place, isFilled: true });
    t.after(() => made.close());
    assert.equal(await made.indexDb.read(hasLate), false);
  });
});
