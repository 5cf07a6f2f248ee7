import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callProgram } from '../../../test/support/call-program.ts';
import { ChainBuilder } from '../../../test/support/chain-builder.ts';
import { archiveOf } from '../../../test/support/other-archive.ts';

test('a replay ends with the number of blocks that wait for one that was never delivered, and names the command that lists these', async t => {
  const data = mkdtempSync(join(tmpdir(), 'replay-test-'));
  t.after(() => rmSync(data, { recursive: true }));
  const chain = new ChainBuilder().chain(5).map(({ delivery }) => delivery);
  const replayed = async (deliveries: typeof chain) =>
    (await callProgram(['replay', await archiveOf(t, deliveries), '--data', data, '--log-level', 'fatal'])).stderr;
  assert.match(
    await replayed(chain.toSpliced(1, 1)),
    /\n3 blocks wait for a parent that was never delivered: stacks-index gaps/,
  );
  assert.doesNotMatch(await replayed(chain), /wait/);
});
