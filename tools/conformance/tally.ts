import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Recorded } from '../../test/support/recording.ts';

/** A chain that a server has been given, and where the reference material is. */
export interface Served {
  readonly shared: string;
  readonly chain: string;
  readonly port: number;
  /** For files of the comparison. */
  readonly directory: string;
}

/** How the responses of one route compare with the recorded ones. */
export interface Tally {
  requests: number;
  equal: number;
  failures: { path: string; why: string }[];
}

/** Has a tool of the reference material compare a server with these responses. @returns how they compare, by the names of the tool */
export async function tallyOf(
  tool: string,
  responses: readonly Recorded[],
  { shared, port, directory }: Served,
): Promise<Record<string, Tally>> {
  const [copy, out] = [join(directory, 'recording.jsonl.gz'), join(directory, 'report.json')];
  writeFileSync(copy, gzipSync(`${responses.map(response => JSON.stringify(response)).join('\n')}\n`, { level: 1 }));
  const args = [join(shared, 'tools', tool), `http://127.0.0.1:${port}`, copy, '--json', out];
  await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit');
  return JSON.parse(readFileSync(out, 'utf8')) as Record<string, Tally>;
}

export interface Comparison {
  /** By route. */
  readonly tally: Readonly<Record<string, Tally>>;
  /** How many responses were compared with something else than was recorded, by the reason. docs/compatibility.md has the proofs. */
  readonly corrected: Readonly<Record<string, number>>;
}
