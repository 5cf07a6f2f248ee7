import { createHash } from 'node:crypto';

/** Hash length in bytes; long enough to make collisions infeasible. */
const BYTES = 20;

/** The name of the list of contracts that have this source, letter by letter. */
export const sourceName = (source: string): string =>
  createHash('sha256').update(source).digest().toString('hex', 0, BYTES);
