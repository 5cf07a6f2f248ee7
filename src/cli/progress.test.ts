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

test('the time that is left follows from what was done since the first step: work that goes on after a stop begins in the middle', t => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const lines: string[] = [];
  const stream = { isTTY: false, write: (line: string) => void lines.push(line) };
  const bar = new ProgressBar('chain.zst', stream as unknown as NodeJS.WriteStream);
  t.mock.timers.setTime(10_000);
  bar.update(0.5, 'a');
  t.mock.timers.setTime(30_000);
  bar.update(0.6, 'b');
  assert.deepEqual(lines, ['chain.zst 50% · a\n', 'chain.zst 60% · b · 1 min 20 s left\n']);
});
