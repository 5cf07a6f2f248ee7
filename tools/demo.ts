/**
 * `npm run demo`: the sample chain in a directory of its own, served, and played on so that there is something to see; with `--still` it
 * stays as it is. Other arguments go to `stacks-index serve`.
 */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { main } from '../src/cli/main.ts';
import { readOptions } from '../src/cli/options/options.ts';
import { play } from './demo/player.ts';

const root = join(import.meta.dirname, '..');
const isStill = process.argv.includes('--still');
const given = process.argv.slice(2).filter(argument => argument !== '--still');
const data = join(root, 'demo-data', isStill ? 'still' : 'playing');
const chain = ['--data', data, '--chain-id', '0x80000000'];
/** As the sample chain has them. */
const cycles = ['--pox-cycles', '0:20:4'];
/** Milliseconds between two blocks: short, as nobody waits long to see whether something moves. */
const BLOCK_PAUSE = 4000;

const EXAMPLES: readonly (readonly [path: string, what: string])[] = [
  ['/explorer', 'the chain as it is now, for people'],
  ['/doc', 'the whole API, readable'],
  ['/extended/v2/blocks/?limit=5', 'the newest blocks'],
  ['/extended/v1/tx/?type=contract_call&limit=3', 'the newest contract calls'],
  ['/extended/v2/addresses/ST3G56JS93C0AZ4TK01KMJNCYVXN7XR99KWS6511V/transactions', 'the history of an account'],
  ['/extended/v1/tx/mempool?order_by=fee', 'what waits for a block, by fee'],
  [
    '/metadata/v1/nft/ST2P5B3BN0DMZ6DSN0XXTAZ739E575BMS5HHNG6TD.cats/1',
    'a token with its picture, a few seconds after the start',
  ],
];

// Token metadata needs a node and the web; the demo brings its own, so that nothing is asked of the network.
const surroundings = fork(join(import.meta.dirname, 'demo/surroundings.ts'), { stdio: 'ignore' });
const addresses = new Promise<Record<'node' | 'gateway' | 'host', string> | undefined>(resolve => {
  surroundings.once('message', message => resolve(message as Record<'node' | 'gateway' | 'host', string>));
  surroundings.once('exit', () => resolve(undefined));
});

console.log('Loading the sample chain into demo-data ...');
const loaded = await main(['replay', join(root, 'examples/sample-chain.tsv.gz'), ...chain], process.env, 'demo');
if (loaded !== 0) process.exit(loaded);

const around = await addresses;
const metadata = around
  ? [
      ...['--node-rpc', around.node, '--metadata-ipfs-gateways', around.gateway, '--metadata-allow-hosts', around.host],
      ...['--metadata-check-cids', 'off', '--metadata-host-requests', '100'],
    ]
  : [];
const serveArguments = ['serve', ...chain, ...cycles, '--log-level', 'error', ...metadata, ...given];
const { host, port, eventHost, eventPort } = readOptions(serveArguments, process.env);
const served = main(serveArguments, process.env, 'demo');
if (await isServing()) {
  const address = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  console.log('\nServing. Worth opening:');
  for (const [path, what] of EXAMPLES) console.log(`  ${`${address}${path}`.padEnd(102)} ${what}`);
  console.log('\nStop with Ctrl-C.');
  if (!isStill && eventPort !== 0)
    playOn(address, `http://${eventHost === '0.0.0.0' ? '127.0.0.1' : eventHost}:${eventPort}`);
}
process.exitCode = await served;
if (surroundings.connected) surroundings.disconnect();

/** Blocks come until the server stops. */
function playOn(api: string, events: string): void {
  const playing = new AbortController();
  const stop = () => playing.abort();
  served.then(stop, stop);
  play({ api, events, pause: BLOCK_PAUSE }, playing.signal).catch(error => {
    if (!playing.signal.aborted)
      console.error(`The chain stays as it is from here: ${error instanceof Error ? error.message : error}`);
  });
}

/** Waits until the server answers; false when it could not start, which it explains itself. */
async function isServing(): Promise<boolean> {
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
