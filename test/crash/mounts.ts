import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system in memory, for what a test cannot do to the disk of the machine. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives it back. */
  free(): void;
  /** Nothing can be written any more, not even by root. */
  makeReadOnly(): void;
  remove(): void;
}

/** Mounts a file system of so many MiB; gives the reason where this is not possible. */
export function mountSmallDisk(sizeMiB: number): SmallDisk | { readonly missing: string } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { missing: 'only root on Linux can mount a disk' };
  const path = mkdtempSync(join(tmpdir(), 'stacks-disk-'));
  const mounted = run('mount', '-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', path);
  if (mounted !== undefined) {
    rmdirSync(path);
    return { missing: `mount failed: ${mounted}` };
  }
  const ballast = join(path, 'ballast');
  const remove = () => {
    process.off('exit', remove);
    run('umount', '--lazy', path); // lazy: a process that still ends must not keep it
    rmdirSync(path);
  };
  process.once('exit', remove);
  return {
    path,
    fill: () => fillUp(ballast),
    free: () => rmSync(ballast),
    makeReadOnly: () => {
      const failed = run('mount', '-o', 'remount,ro', path);
      if (failed !== undefined) throw new Error(failed);
    },
    remove,
  };
}

/** Writes a file until nothing fits on its disk any more. Others may write there meanwhile. */
function fillUp(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (const size of [1024 * 1024, 4096]) while (hasWritten(descriptor, Buffer.alloc(size)));
  } finally {
    closeSync(descriptor);
  }
}

function hasWritten(descriptor: number, bytes: Uint8Array): boolean {
  try {
    return writeSync(descriptor, bytes) === bytes.length;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return false;
    throw error;
  }
}

/** @returns what went wrong */
function run(program: string, ...args: string[]): string | undefined {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}
