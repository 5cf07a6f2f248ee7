import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ClientCall, Listener } from './calls.ts';
import { REMOTE } from './remote-contract.ts';

const HEIGHT = 60;
const SDK = import.meta.resolve('@stacks/clarinet-sdk');

/** In a process of its own: it blocks while it waits for responses. It keeps what it has read in the directory where it runs. */
const PROGRAM = `
import { getSDK } from '${SDK}';
const [url, height, contract, functionName] = process.argv.slice(2);
const vm = await getSDK({ trackCosts: false, trackCoverage: false });
await vm.initEmptySession({ enabled: true, api_url: url, initial_height: Number(height), use_mainnet_wallets: false });
const { result } = vm.callReadOnlyFn(contract, functionName, [], contract.split('.')[0]);
console.log(JSON.stringify({ height: vm.blockHeight, burnHeight: vm.burnBlockHeight, result: String(result.value) }));
`;

/** The simulator of Clarinet with remote data: it runs a contract of the chain at a height, with the state that the node has there. */
export const callsOfClarinetSdk = ({ url, exchanges }: Listener): ClientCall[] => [
  {
    client: '@stacks/clarinet-sdk 3.21.0',
    method: 'callReadOnlyFn (remote data)',
    async run() {
      const printed = await printedAt(url);
      const block = exchanges.find(({ path }) => path === `/extended/v2/blocks/${HEIGHT}`);
      const { index_block_hash: tip, burn_block_height: burnHeight } = JSON.parse(block?.text ?? '{}');
      assert.deepEqual(JSON.parse(printed), { height: HEIGHT, burnHeight, result: String(REMOTE.total) });
      const state = exchanges.filter(({ path }) => path.startsWith('/v2/clarity/'));
      assert.ok(state.length > 0 && state.every(({ path }) => path.includes(`tip=${tip.slice(2)}`)));
      assert.ok(exchanges.some(({ path }) => path === `/v3/sortitions/burn_height/${burnHeight}`));
    },
  },
];

async function printedAt(url: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'clarinet-sdk-'));
  try {
    const program = join(directory, 'program.mjs');
    writeFileSync(program, PROGRAM);
    const args = [program, url, String(HEIGHT), REMOTE.contractId, REMOTE.functionName];
    const child = spawn(process.execPath, args, { cwd: directory, env: { PATH: process.env.PATH } });
    const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    assert.equal(code, 0, errors);
    return output.trim().split('\n').at(-1) ?? '';
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
