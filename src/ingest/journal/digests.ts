/** Digests that identify repeated deliveries. */
import { createHash } from 'node:crypto';
import type { Queries, SqlValue } from '../../base/store/database.ts';
import type { RowOf } from '../../base/store/table.ts';
import type { Delivery, JOURNAL } from './entries.ts';

/** Mempool messages may legitimately repeat (a transaction dropped and announced again); others may not. */
const MEANINGFUL_REPEATS = new Set(['/new_mempool_tx', '/drop_mempool_tx']);

/** A mempool message is a repeat only with the same time of receipt, that is, in the same row of an archive. */
export const archiveDigest = ({ path, body, receivedAt }: Delivery): Buffer =>
  digestOf(path, body, MEANINGFUL_REPEATS.has(path) ? receivedAt : null);

function digestOf(path: string, body: Uint8Array, receivedAt: number | null): Buffer {
  return createHash('sha256')
    .update(`${path}\n${receivedAt ?? ''}\n`)
    .update(body)
    .digest()
    .subarray(0, 16);
}

/** A digest as a text, for sets. */
export const nameOf = (digest: Uint8Array): string => Buffer.from(digest).toString('latin1');

const DIGESTS_PER_QUERY = 256;

/** The digests that the journal has already (nameOf). */
export async function knownDigests(queries: Queries, digests: readonly Buffer[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (let start = 0; start < digests.length; start += DIGESTS_PER_QUERY) {
    const part: SqlValue[] = digests.slice(start, start + DIGESTS_PER_QUERY);
    while ((part.length & (part.length - 1)) !== 0) part.push(part[0] ?? null);
    const rows = await queries.all<RowOf<typeof JOURNAL, 'digest'>>(
      `SELECT digest FROM journal WHERE digest IN (${part.map(() => '?').join(',')})`,
      part,
    );
    for (const row of rows) known.add(nameOf(row.digest));
  }
  return known;
}
