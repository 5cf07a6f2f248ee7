/** Programs that a release runs. */
import { spawnSync } from 'node:child_process';

/** A program that ended with another status than 0. */
export class CommandFailed extends Error {}

interface RunOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Shows what the program prints, in place of returning it. */
  readonly isShown?: boolean;
}

/**
 * Runs a program to its end.
 * @returns its standard output; '' if that is shown
 * @throws CommandFailed with what it printed
 */
export function run(command: string, args: readonly string[], options: RunOptions): string {
  const { cwd, env = process.env, isShown = false } = options;
  const stdio = isShown ? 'inherit' : 'pipe';
  const ran = spawnSync(command, args, { cwd, env, stdio, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (ran.error) throw new CommandFailed(`${command}: ${ran.error.message}`);
  if (ran.status !== 0)
    throw new CommandFailed(`${command} ${args.join(' ')} ended with status ${ran.status}\n${ran.stderr ?? ''}`);
  return ran.stdout ?? '';
}

/** @returns what git prints, without the newline at its end */
export const git = (root: string, ...args: readonly string[]): string => run('git', args, { cwd: root }).trimEnd();
