import type { Queries } from '../../../base/store/database.ts';
import { archiveDigest } from '../../../ingest/journal/digests.ts';
import { JOURNAL } from '../../../ingest/journal/entries.ts';
import { StoredPayloads } from '../../../ingest/journal/packs.ts';
import { WAITING_DELIVERIES } from '../../../ingest/journal/waiting-deliveries.ts';
import { type Check, damaged, type Finding } from '../check.ts';
import { tableRows } from '../pages.ts';

/** Payloads may be large. */
const ENTRIES_AT_ONCE = 16;

export const journalCheck: Check = {
  name: 'journal',
  proves:
    'entries are numbered 1, 2, 3 ..., and so are events that wait for the end of an archive; each payload can be read and is the one that was received, and no more were dropped than are recorded',

  async *run({ journal, onDropped, recordedDropped }) {
    let expected = 1;
    let dropped = 0;
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
      if (payloads.isDropped) {
        dropped++;
        onDropped();
        continue;
      }
      const body = bodyOf(payloads, seq);
      if (!body) yield damaged(`journal: the payload of entry ${seq} (${path}) cannot be decompressed`);
      else if (Buffer.compare(archiveDigest({ path, receivedAt, body }), row.digest) !== 0)
        yield damaged(`journal: the payload of entry ${seq} (${path}) does not fit its digest`);
    }
    if (dropped !== recordedDropped)
      yield damaged(`journal: ${dropped} payloads are dropped, and ${recordedDropped} are recorded`);
    yield* waitingDeliveries(journal);
  },
};

async function* waitingDeliveries(journal: Queries): AsyncIterable<Finding> {
  let before: { readonly seq: number; readonly total_bytes: number } | undefined;
  const columns = ['received_at', 'path', 'digest', 'payload', 'total_bytes'] as const;
  for await (const row of tableRows(journal, WAITING_DELIVERIES, columns, ENTRIES_AT_ONCE)) {
    const { seq, path, received_at: receivedAt, payload, total_bytes: total } = row;
    const isNext = !before || (seq === before.seq + 1 && total === before.total_bytes + payload.length);
    if (!isNext) yield damaged(`waiting_deliveries: event ${seq} does not follow event ${before?.seq}`);
    before = row;
    const payloads = new StoredPayloads();
    payloads.pass(row);
    const body = bodyOf(payloads, seq);
    if (!body || Buffer.compare(archiveDigest({ path, receivedAt, body }), row.digest) !== 0)
      yield damaged(`waiting_deliveries: the payload of event ${seq} (${path}) is not the one that was received`);
  }
}

/** The payload as it was received; undefined when it is damaged. */
function bodyOf(payloads: StoredPayloads, seq: number): Uint8Array | undefined {
  try {
    return payloads.body(seq);
  } catch {
    return undefined;
  }
}
