import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

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

/** A copy of the simulator of Stacks chains, ready to run. */
export interface Chainsim {
  readonly directory: string;
  /** Makes a chain, once for all tests of this process. */
  chain(wanted: ChainOfScenario): SimulatedChain;
  /** Runs this program (an ES module; paths relative to the directory) in the simulator's folder. Throws when it fails. */
  run(program: string, ...args: string[]): void;
}

const shared = process.env.STACKS_SHARED ?? join(import.meta.dirname, '../../../shared');

let opened: Chainsim | { readonly missing: string } | undefined;

/** The simulator of this process, which is removed after its tests; `missing` says why there is none. */
export function openChainsim(): Chainsim | { readonly missing: string } {
  opened ??= copyOfChainsim();
  return opened;
}

/** Copies the simulator to a directory of its own and installs what it needs. */
function copyOfChainsim(): Chainsim | { readonly missing: string } {
  const source = join(shared, 'chainsim');
  if (!existsSync(source)) return { missing: `there is no ${source}` };
  const home = mkdtempSync(join(tmpdir(), 'stacks-chainsim-'));
  after(() => rmSync(home, { recursive: true, force: true }));
  const directory = join(home, 'chainsim');
  try {
    execute(home, 'cp', '-r', source, home);
    execute(home, 'chmod', '-R', 'u+w', directory);
    execute(directory, 'npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  } catch (error) {
    return { missing: `the simulator cannot be set up: ${error instanceof Error ? error.message : error}` };
  }
  const run = (program: string, ...args: string[]) =>
    execute(directory, process.execPath, '--input-type=module', '--eval', program, ...args);
  const chains = new Map<string, SimulatedChain>();
  const chain = ({ scenario, seed, blocks }: ChainOfScenario) => {
    const name = `${scenario}-${seed}-${blocks}`;
    const known = chains.get(name);
    if (known) return known;
    const made = { archive: join(directory, `${name}.tsv`), truth: join(directory, `${name}.json`) };
    // What follows `--` is for the simulator, not for Node.
    run(
      "await import('./gen.mjs')",
      ...['--', '--scenario', scenario, '--seed', seed, '--blocks', String(blocks), '--omit-boot-source'],
      ...['--out', made.archive, '--expect', made.truth],
    );
    chains.set(name, made);
    return made;
  };
  return { directory, chain, run };
}

function execute(cwd: string, command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.slice(0, 500)}`);
}
