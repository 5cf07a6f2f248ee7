import type { Queries } from '../../base/store/database.ts';
import type { RebuiltSummary } from '../../ingest/chain/unapplied.ts';
import { chainIdText } from '../../ingest/chain/witness.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { summaryOfRebuilt } from '../../ingest/indexer/rebuilt-blocks.ts';
import { rebuiltText } from '../../operate/gaps/rebuilt-text.ts';
import { readBinding } from '../../operate/storage/chain-binding.ts';
import { type OpenIndex, openIndexToRead, openJournalToRead } from '../../operate/storage/storage.ts';
import { readUnproven, type UnprovenLoad, unprovenText } from '../../operate/storage/unproven-load.ts';
import { CHECKS } from '../../operate/verify/checks.ts';
import { stateHash } from '../../operate/verify/state-hash.ts';
import { type CheckOutcome, verifyIndex } from '../../operate/verify/verify.ts';
import type { Options } from '../options/options.ts';
import { ProgressBar } from '../progress.ts';

/** Most findings that are shown per check. */
const SHOWN = 10;
const EXIT_FOUND = 1;

/** `stacks-index verify` @returns the exit status: 0 if the index is sound, else 1 */
export async function verify(options: Options, signal: AbortSignal): Promise<number> {
  const place = await openJournalToRead(options);
  let index: OpenIndex | undefined;
  const bar = new ProgressBar('verify');
  let done = 0;
  let total = 0;
  let unchecked = 0;
  let unproven: UnprovenLoad | undefined;
  let rebuilt: RebuiltSummary | undefined;
  try {
    index = await openIndexToRead(place);
    unproven = await index.indexDb.read(readUnproven);
    await verifyIndex({
      indexDb: index.indexDb,
      journalDb: place.journalDb,
      keep: SHOWN,
      signal,
      onProgress: ({ name }, rows) => bar.update(done / CHECKS.length, `${name} · ${rows} rows`),
      onOutcome: outcome => {
        done++;
        total += outcome.total;
        if (outcome.uncompared > 0 || outcome.endedAt !== undefined) unchecked++;
        bar.clear();
        process.stdout.write(describe(outcome));
      },
    });
    bar.update(1, 'state hash');
    const shown = await index.indexDb.read(async queries => ({
      rebuilt: await summaryOfRebuilt(queries),
      text: await stateText(queries, signal),
    }));
    bar.clear();
    process.stdout.write(shown.text);
    rebuilt = shown.rebuilt;
  } catch (error) {
    if (!signal.aborted) throw error;
    process.stderr.write('\nStopped: not everything was checked.\n');
    return EXIT_FOUND;
  } finally {
    await index?.close();
    await place.journalDb.close();
  }
  if (rebuilt && rebuilt.count > 0) process.stdout.write(`note  ${rebuiltText(rebuilt)}\n`);
  if (unproven) process.stdout.write(`note  ${unprovenText(unproven)}\n`);
  if (unchecked > 0) process.stdout.write(partly(unchecked));
  const sound = unchecked === 0 ? 'sound' : 'sound as far as the journal goes';
  process.stdout.write(
    total === 0 ? `${sound}: ${done} checks in ${Math.round(bar.seconds)} s\n` : `${total} findings\n`,
  );
  return total === 0 ? 0 : EXIT_FOUND;
}

/** The line that operators compare, and below it the beginnings of the hashes by subject. */
async function stateText(index: Queries, signal: AbortSignal): Promise<string> {
  const { hash, subjects } = await stateHash(index, signal);
  const [{ tip }, { chainId }, { count }] = [
    await readState(index),
    await readBinding(index),
    await summaryOfRebuilt(index),
  ];
  const parts = Object.entries(subjects).map(([subject, digest]) => `${subject} ${digest.slice(0, 12)}`);
  const chain = chainId === undefined ? 'unknown' : chainIdText(chainId);
  const shownTip = tip ? `${tip.height} ${tip.indexBlockHash}` : 'none';
  return `state ${hash} chain ${chain} tip ${shownTip} rebuilt ${count}\n      ${parts.join(', ')}\n`;
}

const partly = (checks: number): string =>
  `note  ${checks} checks could not compare everything, because payloads of the journal were dropped. A rebuilt index proves them: stacks-index reindex --archive ARCHIVE|URL.\n`;

function describe({ check, findings, total, uncompared, endedAt }: CheckOutcome): string {
  if (total === 0 && endedAt !== undefined) return `part  ${check.name}: not checked to its end: ${endedAt}\n`;
  if (total === 0 && uncompared > 0)
    return `part  ${check.name}: ${check.proves}; ${uncompared} rows were not compared with dropped payloads\n`;
  if (total === 0) return `ok    ${check.name}: ${check.proves}\n`;
  const lines = [`WRONG ${check.name}: not true that ${check.proves}`];
  for (const { what } of findings) lines.push(`      ${what}`);
  if (total > findings.length) lines.push(`      ... ${total} in all`);
  for (const hint of new Set(findings.map(finding => finding.hint))) lines.push(`      → ${hint}`);
  return `${lines.join('\n')}\n`;
}
