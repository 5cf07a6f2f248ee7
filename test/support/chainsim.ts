import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A copy of the simulator of Stacks chains, ready to run. */
export interface Chainsim {
  readonly directory: string;
  /** Runs this program (an ES module; paths relative to the directory) in the simulator's folder. Throws when it fails. */
  run(program: string, ...args: string[]): void;
  remove(): void;
}

const shared = process.env.STACKS_SHARED ?? join(import.meta.dirname, '../../../shared');

/** Copies the simulator to a directory of its own and installs what it needs; `missing` says why that cannot be. */
export function openChainsim(): Chainsim | { readonly missing: string } {
  const source = join(shared, 'chainsim');
  if (!existsSync(source)) return { missing: `there is no ${source}` };
  const home = mkdtempSync(join(tmpdir(), 'stacks-chainsim-'));
  const remove = () => rmSync(home, { recursive: true, force: true });
  const directory = join(home, 'chainsim');
  try {
    execute(home, 'cp', '-r', source, home);
    execute(home, 'chmod', '-R', 'u+w', directory);
    execute(directory, 'npm', 'ci', '--no-audit', '--no-fund', '--prefer-offline');
  } catch (error) {
    remove();
    return { missing: `the simulator cannot be set up: ${error instanceof Error ? error.message : error}` };
  }
  const run = (program: string, ...args: string[]) =>
    execute(directory, process.execPath, '--input-type=module', '--eval', program, ...args);
  return { directory, run, remove };
}

function execute(cwd: string, command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.slice(0, 500)}`);
}
