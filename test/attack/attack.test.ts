import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scale } from '../support/scale.ts';
import { isFailure, SIZES } from './finding.ts';
import { attackAll } from './round.ts';

/** In the short form: `requests.test.ts`, and tests of `images/process.ts`, `fetch/exchange.ts` and `metadata-images.ts`, try the same. */
const TRIED_ELSEWHERE = [
  'mixed requests',
  'images that are costly to draw',
  'servers that do anything',
  'unread images',
];

/** They get through: each fix removes its line. */
const OPEN = [
  'unread responses of the node',
  'streams that resume from the beginning',
  'packets that connect',
  'sockets that read nothing',
  'all doors at once',
  'transactions that come twice',
  'a transaction with 300,000 events',
  'servers that are no PostgreSQL',
];

/** At length, and with what others had to wait meanwhile: `npm run attack`, on a machine that does nothing else. */
test('no attack that got through once does so again', async t => {
  const above: string[] = [];
  await attackAll({
    size: SIZES.short,
    seed: Number(process.env.PROPERTY_SEED ?? 1),
    only: '',
    without: [...(scale === 'short' ? TRIED_ELSEWHERE : []), ...OPEN],
    onOutcome: ({ attack, findings }) => {
      for (const { what, worst, bound, unit } of findings.filter(finding => isFailure(finding, SIZES.short)))
        above.push(`${attack}: ${what}: ${worst} ${unit}, at most ${bound}`);
      t.diagnostic(`${attack}: ${findings.length} findings`);
    },
  });
  assert.deepEqual(above, []);
});
