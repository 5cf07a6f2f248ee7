import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
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

/** A file system that becomes read-only under the programs that write to it. */
export interface FailingDisk {
  readonly path: string;
  /** As Linux does after an error of the disk: what is written, by anyone, fails. What was not synced is lost. */
  fail(): void;
  /** Checks it and mounts it anew. No program may have a file open there. */
  repair(): void;
  remove(): void;
}

/** Mounts an ext4 file system of so many MiB in a file; gives the reason where this is not possible. */
export function mountFailingDisk(sizeMiB: number): FailingDisk | { readonly missing: string } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { missing: 'only root on Linux can mount a disk' };
  const home = mkdtempSync(join(tmpdir(), 'stacks-disk-'));
  const path = join(home, 'disk');
  const image = join(home, 'image');
  mkdirSync(path);
  const mount = () => run('mount', '-o', 'loop,errors=remount-ro', image, path);
  const problem =
    run('truncate', '-s', `${sizeMiB}M`, image) ?? run('mkfs.ext4', '-q', '-E', 'nodiscard', image) ?? mount();
  if (problem !== undefined) {
    rmSync(home, { recursive: true });
    return { missing: `mount failed: ${problem}` };
  }
  const remove = () => {
    process.off('exit', remove);
    run('umount', '--lazy', path);
    rmSync(home, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const must = (failed: string | undefined) => {
    if (failed !== undefined) throw new Error(failed);
  };
  return {
    path,
    fail: () => must(run('mount', '-o', 'remount,abort', path)),
    repair: () => {
      must(run('umount', path));
      run('fsck.ext4', '-fy', image); // its status is 1 when it has repaired something
      must(mount());
    },
    remove,
  };
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
