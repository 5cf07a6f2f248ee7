import { join } from 'node:path';
import { difference, type Recorded, readRecording } from '../../test/support/recording.ts';
import { corrected as correctedEndpoints } from './corrections.ts';
import { wronglyReplaced } from './recorded-pending.ts';
import { correctSiblings } from './recorded-siblings.ts';
import { withSponsorNonces } from './recorded-sponsors.ts';
import { type Comparison, type Served, type Tally, tallyOf } from './tally.ts';

/** Compares a served chain with the recording of all routes beyond the first 23. */
export async function compareSiblings(served: Served): Promise<Comparison> {
  const { shared, chain, port } = served;
  const recording = readRecording(join(shared, 'golden-siblings', `${chain}.jsonl.gz`));
  const endpoints = readRecording(join(shared, 'golden', `${chain}.jsonl.gz`));
  const wrong = wronglyReplaced([...endpoints, ...recording]);
  const inBoth = correctedInBoth(recording, endpoints);
  const { responses: pending, changed } = withSponsorNonces(inBoth, wrong);
  const { responses, corrected } = await correctSiblings(pending, join(shared, 'data', `${chain}.tsv.gz`), wrong);
  const tally = await tallyOf('conformance-siblings.mjs', responses, served);
  const cursors = await settleCursors(tally, responses, port);
  return {
    tally,
    corrected: {
      ...corrected,
      'with the nonce of a sender for the sponsor': changed,
      'without the cursors of version 9': cursors,
    },
  };
}

const IN_BOTH = /^\/extended\/v2\/(mempool\/fees|addresses\/[^/]+\/transactions\?)/;

/** Responses of the first 23 routes are corrected as in their own recording, which has the lists that prove it. */
function correctedInBoth(responses: readonly Recorded[], endpoints: readonly Recorded[]): Recorded[] {
  const inBoth = responses.filter(({ path, status }) => status === 200 && IN_BOTH.test(path));
  const known = new Map(
    correctedEndpoints([...endpoints, ...inBoth], responses).responses.map(response => [response.path, response]),
  );
  return responses.map(response =>
    inBoth.includes(response) ? { ...response, body: known.get(response.path)?.body ?? null } : response,
  );
}

/** Takes out of the failures the pages that are as recorded but for cursors, which only version 9 has. @returns how many */
async function settleCursors(
  tally: Readonly<Record<string, Tally>>,
  responses: readonly Recorded[],
  port: number,
): Promise<number> {
  let settled = 0;
  for (const row of Object.values(tally)) {
    const left: Tally['failures'] = [];
    for (const failure of row.failures) {
      const recorded = /cursor: unexpected/.test(failure.why) && responses.find(({ path }) => path === failure.path);
      if (recorded && (await isAsRecorded(recorded, port))) settled++;
      else left.push(failure);
    }
    row.equal += row.failures.length - left.length;
    row.failures = left;
  }
  return settled;
}

async function isAsRecorded(recorded: Recorded, port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}${recorded.path}`);
  return difference(recorded, response.status, await response.json()) === undefined;
}
