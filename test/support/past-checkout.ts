import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** A past release, ready to run. */
export interface PastCheckout {
  /** Its `bin/stacks-index`. */
  readonly program: string;
  /** The variables with which it is to be started. */
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

/** Why a past release cannot be run here. */
interface NoCheckout {
  readonly missing: string;
}

/** The files of a commit, with its packages. */
export function checkOutPast(commit: string): PastCheckout | NoCheckout {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (git('cat-file', '-e', commit).status !== 0) return { missing: 'the history is not here' };
  const folder = join(mkdtempSync(join(tmpdir(), 'stacks-past-')), 'checkout');
  const made = git('worktree', 'add', '--quiet', '--detach', folder, commit);
  if (made.status !== 0) throw new Error(made.stderr);
  const remove = () => {
    git('worktree', 'remove', '--force', folder);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  };
  if (!givePackages(folder)) {
    remove();
    return { missing: 'the packages of a past release cannot be installed' };
  }
  return { program: join(folder, 'bin/stacks-index'), env: ENVIRONMENT, remove };
}

/** Its `bin/stacks-index` looks for a Node.js on the PATH. */
const ENVIRONMENT: NodeJS.ProcessEnv = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

/** Those of this checkout, where it has the same; else those of its lock file, from the cache of npm or the registry. */
function givePackages(folder: string): boolean {
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    return true;
  }
  const args = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  return spawnSync('npm', args, { cwd: folder, env: ENVIRONMENT, stdio: 'ignore' }).status === 0;
}
