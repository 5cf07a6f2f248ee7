import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyPlace } from './source.ts';

const IMAGES = 'images';

/** The directory of images that belongs to a place, if it has one. */
function imagesOf({ data, database }: CopyPlace): string | undefined {
  const directory = join(data, IMAGES);
  return database === undefined && existsSync(directory) ? directory : undefined;
}

/**
 * Copies the images of tokens from a directory to a directory.
 * @returns the directory where they stay instead, as PostgreSQL holds none
 */
export async function copyImages(from: CopyPlace, to: CopyPlace): Promise<string | undefined> {
  const images = imagesOf(from);
  if (images === undefined) return undefined;
  if (to.database !== undefined) return images;
  await cp(images, join(to.data, IMAGES), { recursive: true, filter: path => !path.endsWith('.partial') });
  return undefined;
}
