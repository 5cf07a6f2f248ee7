/** `npm run demo`: the sample chain in a directory of its own, served. Arguments go to `stacks-index serve`. */
import { join } from 'node:path';
import { main } from '../src/cli/main.ts';
import { readOptions } from '../src/cli/options.ts';

const root = join(import.meta.dirname, '..');
const chain = ['--data', join(root, 'demo-data'), '--chain-id', '0x80000000'];
const serveArguments = ['serve', ...chain, '--log-level', 'warn', ...process.argv.slice(2)];

const EXAMPLES: readonly (readonly [path: string, what: string])[] = [
  ['/doc', 'the whole API, readable'],
  ['/extended/v2/blocks/?limit=5', 'the newest blocks'],
  ['/extended/v1/tx/?type=contract_call&limit=3', 'the newest contract calls'],
  ['/extended/v2/addresses/ST3G56JS93C0AZ4TK01KMJNCYVXN7XR99KWS6511V/transactions', 'the history of an account'],
  ['/extended/v1/tx/mempool?order_by=fee', 'what waits for a block, by fee'],
];

console.log('Loading the sample chain into demo-data ...');
const loaded = await main(['replay', join(root, 'examples/sample-chain.tsv.gz'), ...chain], process.env);
if (loaded !== 0) process.exit(loaded);

const { host, port } = readOptions(serveArguments, process.env);
const served = main(serveArguments, process.env);
if (await answers()) {
  const address = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  console.log('\nServing. Worth opening:');
  for (const [path, what] of EXAMPLES) console.log(`  ${`${address}${path}`.padEnd(102)} ${what}`);
  console.log('\nStop with Ctrl-C.');
}
process.exitCode = await served;

/** Waits until the server answers; false when it could not start, which it explains itself. */
async function answers(): Promise<boolean> {
  const probe = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}/extended`;
  for (let tries = 0; tries < 100; tries++) {
    const up = await Promise.race([
      fetch(probe).then(
        response => response.ok,
        () => false,
      ),
      served.then(() => undefined),
    ]);
    if (up !== false) return up === true;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return false;
}
