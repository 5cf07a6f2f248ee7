import { archiveDigest, JOURNAL } from '../../../ingest/journal/journal.ts';
import { StoredPayloads } from '../../../ingest/journal/packs.ts';
import { type Check, damaged } from '../check.ts';
import { tableRows } from '../pages.ts';

/** Payloads may be large. */
const ENTRIES_AT_ONCE = 16;

export const journalCheck: Check = {
  name: 'journal',
  proves: 'entries are numbered 1, 2, 3 ...; each payload can be read and is the one that was received',

  async *run({ journal }) {
    let expected = 1;
    const payloads = new StoredPayloads();
    for await (const row of tableRows(
      journal,
      JOURNAL,
      ['received_at', 'path', 'digest', 'payload'],
      ENTRIES_AT_ONCE,
    )) {
      const { seq, path, received_at: receivedAt } = row;
      if (seq !== expected) yield damaged(`journal: entries ${expected} to ${seq - 1} are missing`);
      expected = seq + 1;
      payloads.pass(row);
      const body = bodyOf(payloads, seq);
      if (!body) yield damaged(`journal: the payload of entry ${seq} (${path}) cannot be decompressed`);
      else if (Buffer.compare(archiveDigest({ path, receivedAt, body }), row.digest) !== 0)
        yield damaged(`journal: the payload of entry ${seq} (${path}) does not fit its digest`);
    }
  },
};

/** The payload as it was received; undefined when it is damaged. */
function bodyOf(payloads: StoredPayloads, seq: number): Uint8Array | undefined {
  try {
    return payloads.body(seq);
  } catch {
    return undefined;
  }
}
