import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pino } from 'pino';
import { until } from '../../../test/support/until.ts';
import { DEFAULT_GATEWAYS } from '../../metadata/fetch/gateways.ts';
import { DEFAULT_JOB_LIMITS } from '../../metadata/jobs/job.ts';
import { DEFAULT_METADATA_LIMITS } from '../../metadata/limits.ts';
import { openStorage } from '../storage/storage.ts';
import { startBackgroundMetadata } from './metadata-thread.ts';

const settings = {
  nodeRpc: 'http://127.0.0.1:1',
  gateways: DEFAULT_GATEWAYS,
  allowHosts: [],
  images: { kind: 'off' },
  jobs: DEFAULT_JOB_LIMITS,
  limits: DEFAULT_METADATA_LIMITS,
} as const;

test('a worker that fails is started again until it succeeds; whoever uses it notices nothing', async t => {
  const data = mkdtempSync(join(tmpdir(), 'stacks-index-'));
  const lines: string[] = [];
  const logger = pino({ level: 'error' }, { write: line => void lines.push(line) });
  // There is no journal yet: the thread cannot open it.
  const worker = startBackgroundMetadata(
    { data, database: undefined, settings, version: '0', logLevel: 'silent' },
    logger,
  );
  t.after(async () => {
    await worker.stop();
    rmSync(data, { recursive: true, force: true });
  });
  await until(() => lines.length > 0, 'the failure is not logged');
  assert.match(lines[0] ?? '', /the metadata worker failed/);
  for (let i = 0; i < 2_000; i++) worker.request('ST000000000000000000002AMW42H.x', '1');
  worker.poke();
  await (await openStorage({ data, database: undefined, chainId: 1 })).close();
  await until(() => worker.snapshot().jobs_waiting !== undefined, 'it does not start again');
  assert.equal(worker.snapshot().jobs_waiting, 0);
  await worker.restart();
});
