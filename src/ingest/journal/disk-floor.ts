import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RetryableDatabaseError } from '../../base/store/errors.ts';

/** Keeps the journal from filling its disk: below a floor of free space, it writes nothing any more. */
interface DiskFloor {
  /** @throws RetryableDatabaseError (DISK_FULL) while there is less free space */
  check(): Promise<void>;
}

/**
 * @param path any path in the file system
 * @param floor bytes that stay free; 0: no check
 */
export function diskFloor(path: string, floor: number, free: (path: string) => Promise<number> = freeBytes): DiskFloor {
  return {
    check: async () => {
      if (floor === 0) return;
      const bytes = await free(path);
      if (bytes >= floor) return;
      throw new RetryableDatabaseError('DISK_FULL', `the disk has ${bytes} free bytes, fewer than ${floor}`, {
        hint: 'Free space on the disk of --data, or lower --min-free-space. `serve` then accepts events again by itself; `replay` continues when you run it again.',
      });
    },
  };
}

/** Bytes that this process may still write to the file system of a path; the path need not exist yet. */
export async function freeBytes(path: string): Promise<number> {
  const place = resolve(path);
  try {
    const { bavail, bsize } = await statfs(place);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(place);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === place) throw error;
    return freeBytes(parent);
  }
}
