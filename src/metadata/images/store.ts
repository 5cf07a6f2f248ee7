import { createHash, randomUUID } from 'node:crypto';
import { access, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeDirectory } from '../../base/store/directory.ts';
import type { ProcessedImage } from './process.ts';

/** An image that is read as fast as its reader takes it: a slow reader holds a few kilobytes of it, not all. */
interface StoredImage {
  readonly length: number;
  /** The caller must read it to the end or destroy it. */
  readonly stream: Readable;
}

/** Stores processed images. A name is made of the content, so the content of a name never changes. */
export interface ImageStore {
  /** A PNG; undefined for an unknown name. */
  open(name: string): Promise<StoredImage | undefined>;
  has(name: string): Promise<boolean>;
  /** Writes atomically; writing a name again is allowed. @throws RangeError for an invalid name of an image */
  write(name: string, bytes: Uint8Array): Promise<void>;
}

/** `Cache-Control` of images, here and in a bucket: the content of a name never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

const IMAGE_NAME = /^[0-9a-f]{32}(-thumb)?\.png$/;

export const isImageName = (name: string): boolean => IMAGE_NAME.test(name);

/** The names of an image and its thumbnail. */
export function imageNames({ image, thumbnail }: Pick<ProcessedImage, 'image' | 'thumbnail'>): {
  readonly image: string;
  readonly thumbnail: string;
} {
  const digest = createHash('sha256').update(image).update(thumbnail).digest('hex').slice(0, 32);
  return { image: `${digest}.png`, thumbnail: `${digest}-thumb.png` };
}

/** Throws RangeError unless it is a valid name of an image: the last check before it becomes part of a path or a URL. */
export function checkedName(name: string): string {
  if (!isImageName(name)) throw new RangeError('not the name of an image');
  return name;
}

/** Images as files of a directory, in subdirectories by their first two characters. Made when the first is written. */
export function directoryImageStore(directory: string): ImageStore {
  const folderOf = (name: string): string => join(directory, name.slice(0, 2));
  return {
    async open(name) {
      return isImageName(name) ? openIfThere(join(folderOf(name), name)) : undefined;
    },
    async has(name) {
      return isImageName(name) && isThere(join(folderOf(name), name));
    },
    async write(name, bytes) {
      const folder = folderOf(checkedName(name));
      makeDirectory(folder);
      // Readers see a complete file or none: it gets its name at the end.
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

async function openIfThere(path: string): Promise<StoredImage | undefined> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      return { length: size, stream: file.createReadStream() };
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
