/**
 * `npm run bench -- metadata`: one process fetches the metadata of 10,000 tokens of a collection while blocks keep arriving. It measures the speed, the memory,
 * and the effect on other endpoints. A stand-in in a separate process replaces the node and the web, and responds at once.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { servingOptions, startServing } from '../src/cli/commands/serve.ts';
import { readOptions } from '../src/cli/options/options.ts';
import { type BuiltBlock, ChainBuilder } from '../test/support/chain-builder.ts';
import { okSome } from '../test/support/metadata-world.ts';
import { freePort } from '../test/support/postgres.ts';
import { sampleDeploy, sampleMove } from '../test/support/sample-contracts.ts';
import { tokenContractInterface, uintHex } from '../test/support/sample-tokens.ts';
import { accountAddress, type BuiltTx } from '../test/support/transaction-builder.ts';
import { printFigures, quantile, saveTables } from './report.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { tokens: { type: 'string', default: '10000' }, json: { type: 'string' } },
});
const TOKENS = Number(given.tokens);
const TOKENS_A_BLOCK = 500;
const PROBES = 500;
const CONTRACT = `${accountAddress(9)}.cats`;

/** Responds like a node and like an IPFS gateway. */
function standIn(): void {
  const handler: RequestListener = (request, response) => {
    request.resume();
    const [, id] = /^\/ipfs\/cats\/(\d+)$/.exec(request.url ?? '') ?? [];
    const body =
      id === undefined
        ? {
            okay: true,
            result: request.url?.includes('get-token-uri') ? okSome('ipfs://cats/{id}') : `0x07${uintHex(0).slice(2)}`,
          }
        : { name: `Cat ${id}`, description: 'a cat', attributes: [{ trait_type: 'number', value: Number(id) }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer(handler).listen(0, '127.0.0.1', () =>
    process.send?.((server.address() as AddressInfo).port),
  );
  process.once('disconnect', () => process.exit());
}

async function bench(): Promise<void> {
  const child = fork(import.meta.filename, ['stand-in']);
  const data = mkdtempSync(join(tmpdir(), 'stacks-bench-'));
  try {
    await measure(data, await portOf(child));
  } finally {
    child.disconnect();
    rmSync(data, { recursive: true, force: true });
  }
}

const portOf = (child: ChildProcess): Promise<number> =>
  new Promise(resolve => child.once('message', message => resolve(Number(message))));

async function measure(data: string, port: number): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const options = readOptions(
    [
      ...['serve', '--data', data, '--chain-id', '0x80000000', '--port', '0', '--log-level', 'warn'],
      ...['--event-port', String(await freePort()), '--node-rpc', `http://${host}`, '--metadata-images', 'off'],
      ...['--metadata-ipfs-gateways', `http://${host}`, '--metadata-allow-hosts', host],
      ...['--metadata-check-cids', 'off', '--metadata-host-requests', '10000'],
    ],
    {},
  );
  const running = await startServing(servingOptions(options), pino({ level: 'warn' }));
  const api = `http://127.0.0.1:${running.apiPort}`;
  const chain = new ChainBuilder('bench');
  const send = async (block: BuiltBlock) => {
    const { path, body } = block.delivery;
    await fetch(`http://127.0.0.1:${running.eventPort}${path}`, { method: 'POST', body: new Uint8Array(body) });
    return block;
  };
  let top = await send(
    chain.block({ txs: [sampleDeploy(chain, 'cats', { contractInterface: tokenContractInterface('sip-009') })] }),
  );
  const idle = await latencies(api);

  const started = performance.now();
  const filled = allFilled(api);
  let minted = 0;
  let arriving = true;
  const blocks = (async () => {
    for (; arriving; await delay(200)) {
      const next = Math.min(TOKENS_A_BLOCK, TOKENS - minted);
      const txs = next > 0 ? [mint(chain, minted + 1, next)] : [chain.coinbase(), chain.transfer()];
      top = await send(chain.block({ parent: top, txs }));
      minted += next;
    }
  })();
  await delay(500);
  const busy = await latencies(api);
  await filled;
  const seconds = (performance.now() - started) / 1000;
  arriving = false;
  await blocks;
  const milliseconds = (times: readonly number[], share: number) => Number(quantile(times, share).toFixed(2));
  const table = printFigures(`Metadata of ${TOKENS} tokens, while blocks arrive`, [
    ['tokens/s', Math.round(TOKENS / seconds)],
    ['most memory, MB', Math.round(process.resourceUsage().maxRSS / 1e3)],
    ['other pages, idle, p50 ms', String(milliseconds(idle, 0.5))],
    ['other pages, idle, p99 ms', String(milliseconds(idle, 0.99))],
    ['other pages, meanwhile, p50 ms', String(milliseconds(busy, 0.5))],
    ['other pages, meanwhile, p99 ms', String(milliseconds(busy, 0.99))],
  ]);
  saveTables(given.json, [table]);
  await running.close();
}

function mint(chain: ChainBuilder, first: number, count: number): BuiltTx {
  const call = chain.call('cats', 'act');
  const events = Array.from({ length: count }, (_, i) => ({
    txid: call.txId,
    committed: true,
    ...sampleMove(`${CONTRACT}::cat`, uintHex(first + i), null, accountAddress(7)),
  }));
  return { ...call, events };
}

/** Resolves when the last token has its metadata, and those before it too. */
async function allFilled(api: string): Promise<void> {
  for (let token = 1; token <= TOKENS; ) {
    const response = await fetch(`${api}/metadata/v1/nft/${CONTRACT}/${token}`);
    await response.arrayBuffer();
    if (response.status !== 200) await delay(100);
    // Steps of tokens, so that the client is not the limit; the last token is always requested.
    else token = token === TOKENS ? TOKENS + 1 : Math.min(token + 250, TOKENS);
  }
  const status = await fetch(`${api}/metadata/v1/nft/${CONTRACT}/${TOKENS}`);
  if (status.status !== 200) throw new Error('tokens without metadata');
}

/** Milliseconds that other endpoints take, one request after the other. */
async function latencies(api: string): Promise<number[]> {
  const times: number[] = [];
  const paths = ['/extended/v2/blocks/?limit=5', '/extended/v1/tx/?limit=20', '/extended'];
  for (let i = 0; i < PROBES; i++) {
    const started = performance.now();
    await (await fetch(`${api}${paths[i % paths.length]}`)).arrayBuffer();
    times.push(performance.now() - started);
    await delay(2);
  }
  return times.toSorted((a, b) => a - b);
}

if (positionals[0] === 'stand-in') standIn();
else await bench();
