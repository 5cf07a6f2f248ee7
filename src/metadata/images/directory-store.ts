import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedName, type ImageStore, isImageName } from './store.ts';

/** Images as files of a directory, in subdirectories by their first two characters. Made when the first is written. */
export function directoryImageStore(directory: string): ImageStore {
  const folderOf = (name: string): string => join(directory, name.slice(0, 2));
  return {
    async read(name) {
      return isImageName(name) ? readIfThere(join(folderOf(name), name)) : undefined;
    },
    async write(name, bytes) {
      const folder = folderOf(checkedName(name));
      await mkdir(folder, { recursive: true });
      // Readers see all of a file or none: it gets its name when it is whole.
      const partial = join(folder, `${name}.${randomUUID()}.partial`);
      try {
        await writeFile(partial, bytes);
        await rename(partial, join(folder, name));
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
  };
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
