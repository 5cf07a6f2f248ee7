import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram, runServer, type Server } from '../crash/program.ts';
import { ARCHIVE } from '../crash/round.ts';
import { schemaStore } from '../crash/store.ts';
import { startPostgres } from '../support/postgres.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';
import { allPaths, assertSameAnswers } from './answers.ts';
import { type Cleanup, cleanedUp } from './cleanup.ts';

const server = await startPostgres();
/** One in so many requests is asked: topology.test.ts asks all of them of PostgreSQL. */
const SHARE = 3;
const options = { skip: 'missing' in server ? server.missing : false, timeout: 120_000 };

async function replayAndServe(place: readonly string[], cleanup: Cleanup): Promise<Server> {
  const replay = runProgram(['replay', ARCHIVE, ...place]);
  assert.equal((await replay.ended).code, 0, replay.output());
  const serve = await runServer(place);
  cleanup.push(() => serve.kill());
  assert.ok(await serve.ready, serve.output());
  return serve;
}

test(
  'behind a pooler of transactions the sample chain is replayed and served as from a directory',
  options,
  async t => {
    if ('missing' in server) return;
    const cleanup = cleanedUp(t);
    cleanup.push(server.stop);
    const pooler = await startTransactionPooler(server.url);
    cleanup.push(pooler.stop);
    const store = schemaStore(pooler.url);
    cleanup.push(store.remove);
    const directory = mkdtempSync(join(tmpdir(), 'stacks-pooler-'));
    cleanup.push(() => rmSync(directory, { recursive: true, force: true }));
    const pooled = await replayAndServe(store.args, cleanup);
    const single = await replayAndServe(['--data', directory], cleanup);
    await assertSameAnswers(
      pooled,
      single,
      (await allPaths(single)).filter((_, i) => i % SHARE === 0),
    );
    assert.ok(pooler.resets() > 1000, `only ${pooler.resets()} transactions went through the pooler`);
  },
);
