import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scale } from '../support/scale.ts';
import { isFailure, SIZES } from './finding.ts';
import { attackAll } from './round.ts';

/**
 * In the short form tests beside the code try the same with less CPU time: `requests.test.ts`, those of `images/process.ts`,
 * `fetch/response-body.ts`, `archive/observer-table.ts`, `metadata-images.ts`, `copy/snapshot/`, `base/store/`, `base/net/pipelining.ts`,
 * `webhooks/`, `node-proxy/`, of the indexer and of stored events, `live/hostile.test.ts`, `live/turns.test.ts`, `http/server.test.ts`,
 * `http/damage.test.ts`, `http/download/download.test.ts`, `http/unsent-bytes.test.ts`, `node/connections.test.ts`, `v2-clients.test.ts`, `v2-smuggling.test.ts`,
 * `faucets.test.ts`, `etags.test.ts`, `gaps.test.ts`, `model/burn-chain.test.ts`, and those in `crash/` and `explorer/`.
 */
const TRIED_ELSEWHERE = [
  'thousands of pipelined requests, then a hang-up',
  'slow URLs',
  'blocks whose parents nobody knows',
  'one account of the faucet in many spellings',
  'two Host headers',
  'silent strangers on the event port',
  'streams that resume from the beginning',
  'packets that connect',
  'requests that mean another one to the node',
  'aborted downloads',
  'lists to take home, all at once',
  'all doors at once',
  'false blocks',
  'mixed requests',
  'images that are costly to draw',
  'servers that do anything',
  'unread images',
  'a transaction with 300,000 events',
  'transactions that come twice',
  'servers that are no PostgreSQL',
  'snapshots that are none, and that unpack to very much',
  'a long fork while streams are open',
  'a disk that is full under load',
  'a disk that becomes read-only under load',
  'damaged pages under load',
  'PostgreSQL restarts under load',
  'receivers of webhooks that are slow',
  'markup that the explorer shows',
  'half-sent bodies for the node',
  'unread responses of the node',
  'slow readers',
  'sockets that read nothing',
  'responses that are no longer true',
  'images within documents',
  'burn blocks of height 0 and others that cannot be',
  'unfinished bodies for the node',
  'names that change their addresses',
  'one slow statement of PostgreSQL',
];

/** At length, and with what others had to wait meanwhile: `npm run attack`, on a machine that does nothing else. */
test('no attack that got through once does so again', async t => {
  const above: string[] = [];
  await attackAll({
    size: SIZES.short,
    seed: Number(process.env.PROPERTY_SEED ?? 1),
    only: '',
    without: scale === 'short' ? TRIED_ELSEWHERE : [],
    onOutcome: ({ attack, findings }) => {
      for (const { what, worst, bound, unit } of findings.filter(finding => isFailure(finding, SIZES.short)))
        above.push(`${attack}: ${what}: ${worst} ${unit}, at most ${bound}`);
      t.diagnostic(`${attack}: ${findings.length} findings`);
    },
  });
  assert.deepEqual(above, []);
});
