import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Bytes that this process may still write to the file system of a path, which need not exist yet. */
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
