import { fail, ok, type Result } from '../../base/lib/result.ts';
import { otherNetwork } from '../../ingest/chain/witness.ts';
import { archiveDigest } from '../../ingest/journal/digests.ts';
import type { Delivery } from '../../ingest/journal/entries.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import type { LargeDelivery } from '../../ingest/node/event-server.ts';
import type { EventError } from '../../ingest/node/events/json.ts';
import { checkEvent, eventSummary, withoutLists } from '../../ingest/node/events/parse.ts';
import { wholeBody } from '../../ingest/node/request-body.ts';
import { answerMessages } from '../storage/answering-thread.ts';
import { openJournal } from '../storage/storage.ts';
import type { FromLargeBodies, LargeBodiesData, ToLargeBodies } from './large-bodies.ts';

/** Checks large bodies and writes them to the journal, in a thread of its own. */
answerMessages<LargeBodiesData, ToLargeBodies, FromLargeBodies>(
  ({ chainId, limits, writeTimeoutMs, maxWaitingBytes, ...location }) => {
    /** Opened by the first event to store. */
    let journal: Journal | undefined;
    let checked: Delivery | undefined;

    function check({ path, receivedAt, body }: Delivery): Result<LargeDelivery, EventError> {
      const read = checkEvent(path, body, limits);
      if (!read.ok) return read;
      const event = read.value;
      const refused = chainId === undefined ? undefined : otherNetwork(event, chainId);
      return refused
        ? fail(refused)
        : ok({ path, receivedAt, event: withoutLists(event), summary: eventSummary(event) });
    }

    async function store() {
      if (!checked) throw new Error('no event was checked');
      journal ??= new Journal((await openJournal(location, { writeTimeoutMs })).journalDb, { maxWaitingBytes });
      const entry = await journal.accept(checked);
      const stored = entry && { seq: entry.seq, digest: new Uint8Array(archiveDigest(entry)) };
      checked = undefined;
      return stored;
    }

    return async message => {
      switch (message.kind) {
        case 'check': {
          const { path, receivedAt, body } = message;
          checked = { path, receivedAt, body: wholeBody(body) };
          return { kind: 'checked', result: check(checked) };
        }
        case 'store':
          return { kind: 'stored', entry: await store() };
        default:
          return message satisfies never;
      }
    };
  },
);
