import { createHash } from 'node:crypto';

/** Of the hash: enough that nobody finds two sources with the same. */
const BYTES = 20;

/** The name of the list of contracts that have this source, letter by letter. */
export const sourceName = (source: string): string =>
  createHash('sha256').update(source).digest().toString('hex', 0, BYTES);
