/** What a client broadcasts is in the mempool of the index, without an event of the node. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { fromHex } from '../src/base/lib/hex.ts';
import { type Running, servingOptions, startServing } from '../src/cli/commands/serve.ts';
import { readOptions } from '../src/cli/options/options.ts';
import { runServer } from './crash/program.ts';
import { onEveryEngine, onSqliteAtLeast } from './support/engines.ts';
import { rawOf, transferOf } from './support/pending-transactions.ts';
import { openPlace } from './support/places.ts';
import { respondJson, type StubNode, startStubNode } from './support/stub-node.ts';
import type { BuiltTx } from './support/transaction-builder.ts';
import { until } from './support/until.ts';

const COMMON = ['--chain-id', '0x80000000', '--log-level', 'warn'];

/** A node that takes this transaction, and sends no event about it. */
const nodeThatTakes = (t: TestContext, { txId }: BuiltTx): Promise<StubNode> =>
  startStubNode(t, (_request, response) => respondJson(response, txId.slice(2)));

const serve = async (t: TestContext, node: StubNode, args: readonly string[]): Promise<Running> => {
  const all = ['serve', ...COMMON, '--port', '0', '--event-port', '0', ...args];
  // The node only forwards: token metadata would call it, too.
  const running = await startServing(
    servingOptions(readOptions([...all, '--node-proxy', node.url], {})),
    pino({ level: 'silent' }),
  );
  t.after(() => running.close());
  return running;
};

async function broadcast(api: string, tx: BuiltTx): Promise<void> {
  const body = Buffer.from(fromHex(rawOf(tx)) ?? []);
  const headers = { 'content-type': 'application/octet-stream' };
  const response = await fetch(`${api}/v2/transactions`, { method: 'POST', headers, body });
  assert.deepEqual([response.status, await response.json()], [200, tx.txId.slice(2)]);
  const isPending = async () => {
    const mempool = await fetch(`${api}/extended/v1/tx/mempool`);
    const { results = [] } = (await mempool.json()) as { results?: { tx_id: string; tx_status: string }[] };
    return results.some(({ tx_id: id, tx_status: status }) => id === tx.txId && status === 'pending');
  };
  await until(isPending, 'the mempool does not have what was broadcast');
}

onSqliteAtLeast((_, openFresh) => {
  test('one process: the API announces it to the writer', async t => {
    const tx = transferOf();
    const { args } = await openPlace(openFresh, t);
    const { apiPort } = await serve(t, await nodeThatTakes(t, tx), args);
    await broadcast(`http://127.0.0.1:${apiPort}`, tx);
  });
});

onEveryEngine((engine, openFresh) => {
  if (engine === 'sqlite') return; // a directory has one process
  test('an API without a writer announces it to the writers of the database', async t => {
    const tx = transferOf();
    const { args } = await openPlace(openFresh, t);
    const node = await nodeThatTakes(t, tx);
    await serve(t, node, [...args, '--mode', 'writeonly']);
    const { apiPort } = await serve(t, node, [...args, '--mode', 'readonly']);
    await broadcast(`http://127.0.0.1:${apiPort}`, tx);
  });
});

test('a worker announces it to the process that started it', async t => {
  const tx = transferOf();
  const data = mkdtempSync(join(tmpdir(), 'broadcast-'));
  const node = await nodeThatTakes(t, tx);
  const server = await runServer([
    ...COMMON,
    '--log-level',
    'info',
    '--data',
    data,
    '--workers',
    '2',
    '--node-proxy',
    node.url,
  ]);
  t.after(async () => {
    await server.kill();
    rmSync(data, { recursive: true, force: true });
  });
  assert.ok(await server.ready, server.output());
  const port = /"api":"127\.0\.0\.1:(\d+)"/.exec(server.output())?.[1];
  await broadcast(`http://127.0.0.1:${port}`, tx);
});
