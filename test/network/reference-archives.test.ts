import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { chainIdText } from '../../src/ingest/chain/witness.ts';
import { readBinding } from '../../src/operate/storage/chain-binding.ts';
import { openStorage } from '../../src/operate/storage/storage.ts';
import { callProgram } from '../support/call-program.ts';
import { openFreshOf } from '../support/engines.ts';
import { dumpOf, openPlace } from '../support/places.ts';
import { RECORDED_ARCHIVES } from '../support/recording.ts';
import { referencePath, withoutReference } from '../support/reference-material.ts';
import { scale } from '../support/scale.ts';

/** Old and new nodes wrote these. Some begin with the first block of their chain, some in its middle. */
const ARCHIVES = [...RECORDED_ARCHIVES, 'sim-sample'];
const [MAINNET, TESTNET] = [0x00000001, 0x80000000];
/** Load in a second. */
const SMALL: readonly string[] = ['mainnet-genesis', 'mainnet-reorg', 'mocknet'];

/** @returns the exit status, what the command wrote, and where it has loaded what */
async function load(t: TestContext, file: string, chainId?: number) {
  const fresh = await openPlace(openFreshOf.sqlite, t);
  const data = join(fresh.data, 'data');
  const option = chainId === undefined ? [] : ['--chain-id', chainIdText(chainId)];
  const place = { data, database: undefined, chainId: chainId ?? MAINNET, args: ['--data', data] };
  const called = await callProgram(['replay', file, ...place.args, ...option]);
  return { ...called, place };
}

describe('archives of the reference material', { skip: withoutReference('data') }, () => {
  for (const name of ARCHIVES) {
    const file = referencePath(`data/${name}.tsv.gz`);
    const [right, wrong] = name.startsWith('mainnet') ? [MAINNET, TESTNET] : [TESTNET, MAINNET];

    test(`the archive ${name} is refused as one of another network, with the chain id to use, and leaves nothing`, async t => {
      const { code, stderr, place } = await load(t, file, wrong);
      assert.equal(code, 1, stderr);
      assert.match(stderr, new RegExp(`Use --chain-id ${chainIdText(right)} `));
      assert.ok(!existsSync(place.data));
    });

    test(`the archive ${name} makes the same index without --chain-id as with it`, {
      skip: scale === 'short' && !SMALL.includes(name) && 'npm run test:all loads the larger archives',
    }, async t => {
      const [recognised, named] = [await load(t, file), await load(t, file, right)];
      assert.deepEqual([recognised.code, named.code], [0, 0], recognised.stderr);
      const storage = await openStorage({ ...recognised.place, isRecognised: true, chainId: right });
      const { chainId } = await storage.indexDb.read(readBinding);
      await storage.close();
      assert.equal(chainId, right);
      assert.deepEqual(await dumpOf({ ...recognised.place, chainId: right }), await dumpOf(named.place));
    });
  }
});
