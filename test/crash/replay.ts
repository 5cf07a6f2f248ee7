import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Delivery } from '../../src/ingest/journal/entries.ts';
import { runProgram } from './program.ts';
import type { Random } from './random.ts';
import { contentOf, journalOfReplayed } from './reference.ts';
import { EVENTS_OF_A_ROUND, linesOfArchive, type Round } from './round.ts';

/** What the journal must hold, and a way there: `replay` is killed until it comes to its end. */
export async function replayRounds(events: readonly Delivery[]) {
  const expected = (await journalOfReplayed(events)).map(contentOf);
  return { expected, play };
}

async function play(round: Round): Promise<void> {
  const { store, random, stats } = round;
  const directory = mkdtempSync(join(tmpdir(), 'stacks-archives-'));
  try {
    const command = ['replay', ...cutArchive(directory, random), ...store.args];
    // In milliseconds after the start: a kill between these is likely to hit a process in work. Both follow what is seen.
    let earliest = await startTime(directory);
    let latest = earliest + 1500;
    let stored = { entries: 0, position: 0 };
    while (round.killsLeft() > 0) {
      const program = runProgram(command);
      const started = performance.now();
      await Promise.race([delay(earliest + random.next() * (latest - earliest)), program.ended]);
      const lived = performance.now() - started;
      const { code, signal } = await program.kill();
      if (signal === null) {
        assert.equal(code, 0, program.output());
        return;
      }
      const { entries, position } = await round.check(stored.entries);
      const idle = entries.length === stored.entries && position === stored.position;
      stored = { entries: entries.length, position };
      stats.kills++;
      if (idle) {
        stats.starting++;
        earliest = Math.max(earliest, lived);
        latest = Math.max(latest, earliest) + 400;
      } else {
        stats.inWork++;
        earliest = Math.min(earliest, lived) * 0.95;
        latest = Math.max(earliest, lived) + 400;
      }
    }
    const last = runProgram(command);
    assert.equal((await last.ended).code, 0, last.output());
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** How long a replay takes that has nothing to load, in milliseconds. */
async function startTime(directory: string): Promise<number> {
  const nothing = join(directory, 'nothing.tsv');
  writeFileSync(nothing, '');
  const started = performance.now();
  await runProgram(['replay', nothing, '--data', join(directory, 'nothing')]).ended;
  return performance.now() - started;
}

/** The sample chain in many small files, so that it is stored in many small transactions. */
export function cutArchive(directory: string, random: Random): string[] {
  const lines = linesOfArchive(EVENTS_OF_A_ROUND);
  const files: string[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = start + random.int(1, 40);
    const file = join(directory, `${files.length}.tsv`);
    writeFileSync(file, `${lines.slice(start, end).join('\n')}\n`);
    files.push(file);
    start = end;
  }
  return files;
}
