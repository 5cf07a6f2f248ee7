import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { logLines } from './log-lines.ts';
import { createLogger } from './logger.ts';

test('lines arrive whole and in order, before the call returns', t => {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-log-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'log');
  const fd = openSync(file, 'w');
  t.after(() => closeSync(fd));
  const logger = createLogger({ level: 'info', base: null, timestamp: false }, logLines(fd));
  logger.info('für alle');
  assert.equal(readFileSync(file, 'utf8'), '{"level":30,"msg":"für alle"}\n');
  logger.fatal('x'.repeat(100_000));
  assert.deepEqual(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).level),
    [30, 60],
  );
});

test('a log that cannot be written stops nothing', {
  skip: !existsSync('/dev/full') && 'this system has no /dev/full',
}, t => {
  const fd = openSync('/dev/full', 'w');
  t.after(() => closeSync(fd));
  const logger = createLogger({ level: 'info' }, logLines(fd));
  logger.info('dropped');
  logger.fatal('dropped');
});
