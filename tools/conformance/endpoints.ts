import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readRecording } from '../../test/support/recording.ts';
import { corrected } from './corrections.ts';
import { equalHeights, equalPlaces, isDelegationAsLock, isOrphanedRow, withoutClock } from './recorded-wrong.ts';
import { byRoute } from './recording-codes.ts';
import type { Comparison, Served, Tally } from './tally.ts';

/** Compares a served chain with the recording of the first 23 routes. */
export async function compareEndpoints({ shared, chain, port, directory }: Served): Promise<Comparison> {
  const out = join(directory, 'report.json');
  const recording = join(shared, 'golden', `${chain}.jsonl.gz`);
  const copy = join(directory, 'recording.jsonl.gz');
  const clock = withoutClock(recording, copy);
  const { responses, changed } = corrected(readRecording(copy));
  writeFileSync(copy, gzipSync(`${responses.map(response => JSON.stringify(response)).join('\n')}\n`, { level: 1 }));
  const tool = join(shared, 'tools/conformance.mjs');
  const child = spawn(process.execPath, [tool, `http://127.0.0.1:${port}`, copy, '--json', out], { stdio: 'ignore' });
  await new Promise(resolve => child.once('exit', resolve));
  const { getNftMetadata: _, ...tally } = byRoute(JSON.parse(readFileSync(out, 'utf8')) as Record<string, Tally>);
  const order =
    (await settleOrder(tally.getBlockByBurnBlockHash, recording, copy, port)) +
    (await settleOrder(tally.searchById, recording, copy, port)) +
    (await settleContracts(tally.getContractsByTrait, copy, port));
  const orphans = await settleOrphans(tally.searchById, join(shared, 'data', `${chain}.tsv.gz`), copy, port);
  const delegations = await settleLocks(tally.searchById, recording, copy, port);
  const settled = {
    'recorded by the clock': clock,
    'in another order of equals': order,
    'of an orphaned row': orphans,
    'with a delegation as lock': delegations,
  };
  return { tally, corrected: { ...settled, ...changed } };
}

/** The list of transaction ids of a block, as getBlockByBurnBlockHash serves it or searchById in its metadata. */
interface WithTxs {
  readonly txs?: string[];
  readonly result?: { readonly metadata?: { readonly txs?: string[] } };
}

/** Takes out of the failures of getBlockByBurnBlockHash or searchById what differs in the order of equals only. @returns how many */
function settleOrder(row: Tally | undefined, recording: string, copy: string, port: number): Promise<number> {
  return settle(row, /^(\.result\.metadata)?\.txs\[/, async path => {
    const recorded = recordedBody(copy, path) as WithTxs;
    const body = (await responseOf(port, path)) as WithTxs;
    const [recordedTxs, txs] = [recorded, body].map(({ txs, result }) => txs ?? result?.metadata?.txs ?? []);
    if (!recordedTxs || !txs || !equalPlaces(recording, recordedTxs, txs)) return false;
    txs.splice(0, txs.length, ...recordedTxs);
    return isDeepStrictEqual(recorded, body);
  });
}

/** Takes out of the failures of searchById those that show an orphaned row in the recording. @returns how many */
function settleContracts(row: Tally | undefined, copy: string, port: number): Promise<number> {
  type Page = { readonly results: Parameters<typeof equalHeights>[0] };
  return settle(row, /^\.results\[/, async path => {
    const recorded = recordedBody(copy, path) as Page;
    const response = (await responseOf(port, path)) as Page;
    return equalHeights(recorded.results, response.results);
  });
}

function settleOrphans(row: Tally | undefined, archive: string, copy: string, port: number): Promise<number> {
  return settle(row, /^\.result\.tx_data\./, async path => {
    const [recorded, withMetadata] = [recordedBody(copy, path), recordedBody(copy, `${path}?include_metadata=true`)];
    return isOrphanedRow(archive, recorded, withMetadata, await responseOf(port, path));
  });
}

/** Takes out of the failures of searchById those of addresses whose recorded lock is a delegation. @returns how many */
function settleLocks(row: Tally | undefined, recording: string, copy: string, port: number): Promise<number> {
  return settle(row, /^\.result\.metadata\.lock/, async path =>
    isDelegationAsLock(recording, recordedBody(copy, path), await responseOf(port, path)),
  );
}

async function settle(
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

function recordedBody(copy: string, path: string): unknown {
  return readRecording(copy).find(response => response.path === path)?.body;
}

async function responseOf(port: number, path: string): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).json();
}
