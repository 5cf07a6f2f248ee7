import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { privateBytes, privateMemoryGauge } from './private-memory.ts';

const STATUS = `Name:\tnode
VmRSS:\t 2400000 kB
RssAnon:\t  300000 kB
RssFile:\t 2099000 kB
RssShmem:\t    1000 kB
VmSwap:\t     500 kB
`;

test('memory that the system cannot take back is all but pages of mapped files, in bytes', () => {
  assert.equal(privateBytes(STATUS), 301_500 * 1024);
  assert.equal(privateBytes('VmRSS:\t 10 kB\n'), undefined);
});

test('on Linux there is the figure of this process, below what is resident and above its heap', async () => {
  const registry = new Registry();
  privateMemoryGauge(registry);
  const found = (await registry.metrics()).match(/^stacks_index_private_memory_bytes (\d+)$/m)?.[1];
  assert.equal(found === undefined, process.platform !== 'linux');
  if (found === undefined) return;
  const { rss, heapUsed } = process.memoryUsage();
  assert.ok(
    Number(found) > heapUsed / 2 && Number(found) < 2 * rss,
    `${found} bytes, ${heapUsed} of the heap, ${rss} resident`,
  );
});
