import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { ProgressBar } from './progress.ts';

/** What work of one step writes. */
function written(isTTY: boolean): string {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const bar = new ProgressBar('chain.tsv.gz', Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream);
  bar.update(1, '3 events');
  bar.finish('3 events');
  return text;
}

test('a log gets the end of the work once, with a space before the share', () => {
  assert.equal(written(false), 'chain.tsv.gz 100% · 3 events\n');
});

test('a terminal shows one line, which is redrawn', () => {
  const text = written(true);
  assert.equal(text.match(/\n/g)?.length, 1);
  assert.equal(text.split(`chain.tsv.gz ${'█'.repeat(24)} 100% · 3 events`).length, 3, 'drawn twice');
});
