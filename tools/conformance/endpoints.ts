import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Recorded, readRecording } from '../../test/support/recording.ts';
import { corrected } from './corrections.ts';
import { equalHeights, equalPlaces, isDelegationAsLock, isOrphanedRow, withoutClock } from './recorded-wrong.ts';
import { byRoute } from './recording-codes.ts';
import { type Comparison, type Served, type Tally, tallyOf } from './tally.ts';

/** Compares a served chain with the recording of the first 23 routes. */
export async function compareEndpoints(served: Served): Promise<Comparison> {
  const { shared, chain, port } = served;
  const recording = readRecording(join(shared, 'golden', `${chain}.jsonl.gz`));
  const { responses: timely, changed: clock } = withoutClock(recording);
  const siblings = readRecording(join(shared, 'golden-siblings', `${chain}.jsonl.gz`));
  const { responses, changed } = corrected(timely, siblings);
  const { getNftMetadataV1: _, ...tally } = byRoute(await tallyOf('conformance.mjs', responses, served));
  const { searchByIdV1, getBlockByBurnBlockHashV1, getContractsByTraitV1 } = tally;
  const bodies = new Map(responses.map(({ path, body }) => [path, body]));
  /** Takes out of the failures of a route those that are explained. @returns how many */
  const settle = (row: Tally | undefined, suspect: RegExp, isExplained: IsExplained) =>
    settleFailures(row, suspect, async path => isExplained(bodies.get(path), await responseOf(port, path), path));
  const isOtherOrder: IsExplained = (recorded, response) => isInAnotherOrder(recording, recorded, response);
  const order =
    (await settle(getBlockByBurnBlockHashV1, TXS, isOtherOrder)) +
    (await settle(searchByIdV1, TXS, isOtherOrder)) +
    (await settle(getContractsByTraitV1, /^\.results\[/, (recorded, response) =>
      equalHeights((recorded as ContractPage).results, (response as ContractPage).results),
    ));
  const orphans = await settle(searchByIdV1, /^\.result\.tx_data\./, (recorded, response, path) =>
    isOrphanedRow(
      join(shared, 'data', `${chain}.tsv.gz`),
      recorded,
      bodies.get(`${path}?include_metadata=true`),
      response,
    ),
  );
  const delegations = await settle(searchByIdV1, /^\.result\.metadata\.lock/, (recorded, response) =>
    isDelegationAsLock(recording, recorded, response),
  );
  const settled = {
    'recorded by the clock': clock,
    'in another order of equals': order,
    'of an orphaned row': orphans,
    'with a delegation as lock': delegations,
  };
  return { tally, corrected: { ...settled, ...changed } };
}

type IsExplained = (recorded: unknown, response: unknown, path: string) => boolean | Promise<boolean>;
type ContractPage = { readonly results: Parameters<typeof equalHeights>[0] };

/** The list of transaction ids of a block, as getBlockByBurnBlockHashV1 serves it or searchByIdV1 in its metadata. */
interface WithTxs {
  readonly txs?: string[];
  readonly result?: { readonly metadata?: { readonly txs?: string[] } };
}

const TXS = /^(\.result\.metadata)?\.txs\[/;

/** Whether a response differs from the recorded one in the order of equals only. */
function isInAnotherOrder(recording: readonly Recorded[], recorded: unknown, response: unknown): boolean {
  const [recordedTxs, txs] = [recorded, response].map(body => {
    const { txs, result } = body as WithTxs;
    return txs ?? result?.metadata?.txs ?? [];
  });
  if (!recordedTxs || !txs || !equalPlaces(recording, recordedTxs, txs)) return false;
  txs.splice(0, txs.length, ...recordedTxs);
  return isDeepStrictEqual(recorded, response);
}

async function settleFailures(
  row: Tally | undefined,
  suspect: RegExp,
  isExplained: (path: string) => Promise<boolean>,
): Promise<number> {
  if (!row) return 0;
  const settled = new Set<string>();
  for (const { path } of row.failures.filter(({ why }) => suspect.test(why))) {
    if (await isExplained(path)) settled.add(path);
  }
  row.failures = row.failures.filter(({ path }) => !settled.has(path));
  row.equal += settled.size;
  return settled.size;
}

async function responseOf(port: number, path: string): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).json();
}
