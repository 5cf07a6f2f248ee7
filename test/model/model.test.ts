import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { readArchive } from '../../src/ingest/node/archive/read.ts';
import { corrected } from '../../tools/conformance/corrections.ts';
import { difference, RECORDED_ARCHIVES, type Recorded, readRecording } from '../support/recording.ts';
import { referencePath, withoutReference } from '../support/reference-material.ts';
import { scale } from '../support/scale.ts';
import { modelResponse, routeOf } from './model.ts';

const root = join(import.meta.dirname, '../..');

/** Number of recorded responses of each archive to compare, spread over the whole recording. */
const SAMPLE = scale === 'short' ? 25 : 400;

const BLOCK_1_OF_POX4_STACK =
  /by_burn_block_hash\/0x53f422de|search\/((0x)?(455c137a15e0|fa28ffa7d6ad)\w+|1)(\?|$)|start_time=1711121583&end_time=1711121583/;

/** Recorded responses that no index can give (docs/compatibility.md), by archive and what the path has in it. */
const NO_INDEX_CAN: Readonly<Record<string, RegExp>> = {
  'mainnet-reorg': /search\/0x(03484817283a|0d0fe6cadf1c)\w+$/,
  'sim-reorg': /search\/0x0694def87b9a\w+$/,
  'sim-rich': /search\/0xf88de4ecb0b6\w+$/,
  'sim-sample': /search\/0xa680958a8405\w+$/,
  'sim-pox': /search\/ST2W3GBXG7S8MZJSFRVX42N0J6NXN3BTTWVQT120D\?/,
  // The order of boot transactions among those of block 1, by each of its hashes and its height.
  'pox4-stack-1': BLOCK_1_OF_POX4_STACK,
  'pox4-stack-3': BLOCK_1_OF_POX4_STACK,
};

async function deliveriesOf(archive: string): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for await (const row of readArchive(archive)) if (row.kind === 'event') deliveries.push(row);
  return deliveries;
}

/** Valid requests to endpoints that the model has. */
const isAsked = ({ path, status }: Recorded): boolean =>
  routeOf(path) !== undefined && (status === 200 || status === 404);

/** A recording without what contradicts itself in it, and what is refused now. @param siblings that of the other routes */
function correctedRecording(file: string, siblings?: string): Recorded[] {
  const recording = readRecording(file);
  return corrected(recording, siblings === undefined ? [] : readRecording(siblings)).responses;
}

function assertAsRecorded(name: string, deliveries: readonly Delivery[], recording: readonly Recorded[]): void {
  const wrong = recording.flatMap(recorded => {
    if (NO_INDEX_CAN[name]?.test(recorded.path)) return [];
    const { status, body } = modelResponse(deliveries, recorded.path);
    const why = difference(recorded, status, JSON.parse(JSON.stringify(body)));
    return why === undefined ? [] : [`${recorded.path} ${why}`];
  });
  assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} of ${recording.length} responses differ`);
}

test('the model gives the recorded responses of the sample chain', async () => {
  const recording = correctedRecording(join(root, 'test/fixtures/sample-chain.responses.jsonl.gz')).filter(isAsked);
  assert.ok(recording.length > 1000, `only ${recording.length} responses are compared`);
  const asked = scale === 'short' ? recording.filter((_, i) => i % 2 === 0) : recording;
  assertAsRecorded('sim-sample', await deliveriesOf(join(root, 'examples/sample-chain.tsv.gz')), asked);
});

for (const name of RECORDED_ARCHIVES) {
  const file = `golden/${name}.jsonl.gz`;
  test(`the model gives recorded responses of ${name}`, { skip: withoutReference(file) }, async () => {
    const recording = correctedRecording(referencePath(file), referencePath(`golden-siblings/${name}.jsonl.gz`)).filter(
      isAsked,
    );
    const step = Math.max(1, Math.floor(recording.length / SAMPLE));
    assertAsRecorded(
      name,
      await deliveriesOf(referencePath(`data/${name}.tsv.gz`)),
      recording.filter((_, i) => i % step === 0),
    );
  });
}
