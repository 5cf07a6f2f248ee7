import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { referencePath, withoutReference } from './reference-material.ts';

/** A chain that the simulator can make: the same one each time. */
export interface ChainOfScenario {
  readonly scenario: string;
  readonly seed: string;
  readonly blocks: number;
}

/** Files of a chain that was made. */
export interface SimulatedChain {
  readonly archive: string;
  /** What the Clarity VM holds at its end (`--expect`). */
  readonly truth: string;
}

/** The simulator of Stacks chains. */
export interface Chainsim {
  chain(wanted: ChainOfScenario): SimulatedChain;
  /**
   * What a program makes (an ES module that runs in the simulator's folder; its last two arguments are the files). Throws when it fails.
   * @param args before those of the files
   */
  made(program: string, ...args: string[]): SimulatedChain;
}

const root = join(import.meta.dirname, '../..');
const source = referencePath('chainsim');
/** The same program makes the same chain: one that was made once is kept. */
const kept = join(root, 'node_modules/.cache/chainsim');

const GENERATE = `
const [scenario, seed, blocks, archive, truth] = process.argv.slice(1);
process.argv.splice(1, Infinity, '--scenario', scenario, '--seed', seed, '--blocks', blocks, '--omit-boot-source',
  '--out', archive, '--expect', truth);
await import('./gen.mjs');
`;

let opened: Chainsim | { readonly missing: string } | undefined;

/** The simulator, or the reason for its absence. */
export function openChainsim(): Chainsim | { readonly missing: string } {
  const missing = withoutReference('chainsim');
  opened ??= missing === false ? simulatorOf(contentOf(source)) : { missing };
  return opened;
}

/** @param version changes with the simulator's files */
function simulatorOf(version: string): Chainsim {
  let directory: string | undefined;
  const made = (program: string, ...args: string[]): SimulatedChain => {
    const name = createHash('sha256')
      .update(JSON.stringify([version, program, args]))
      .digest('hex');
    const files = { archive: join(kept, `${name}.tsv`), truth: join(kept, `${name}.json`) };
    if (existsSync(files.archive) && existsSync(files.truth)) return files;
    directory ??= copyOfChainsim();
    mkdirSync(kept, { recursive: true });
    const fresh = { archive: `${files.archive}.${process.pid}`, truth: `${files.truth}.${process.pid}` };
    execute(directory, '--input-type=module', '--eval', program, '--', ...args, fresh.archive, fresh.truth);
    renameSync(fresh.archive, files.archive);
    renameSync(fresh.truth, files.truth);
    return files;
  };
  return { made, chain: ({ scenario, seed, blocks }) => made(GENERATE, scenario, seed, String(blocks)) };
}

/** A digest of all its files. */
function contentOf(folder: string): string {
  const digest = createHash('sha256');
  for (const file of globSync('**/*.*', { cwd: folder, exclude: ['node_modules'] }).sort())
    digest.update(`${file}\n`).update(readFileSync(join(folder, file)));
  return digest.digest('hex');
}

/** A copy that finds what it imports among our own dependencies, and goes with this process. @returns its directory */
function copyOfChainsim(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stacks-chainsim-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  cpSync(source, directory, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

/** Other threads would help little, and take from other tests. */
function execute(cwd: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(process.execPath, ['--single-threaded', ...args], {
    cwd,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the simulator failed: ${error?.message ?? stderr.slice(0, 500)}`);
}
