import type { IndexStatus } from '../../api/http/status.ts';
import { RetryableDatabaseError } from '../../base/store/errors.ts';
import { readPoxUnlockHeights } from '../../index/blocks/canonical-chain.ts';
import { readGaps } from '../../ingest/indexer/gaps.ts';
import { summaryOfSetAside } from '../../ingest/indexer/set-aside.ts';
import { Journal } from '../../ingest/journal/journal.ts';
import type { IndexView } from './index-view.ts';

/** The status that `GET /extended`, the probes and the metrics show. @throws the two database errors */
export async function readStatus(view: IndexView): Promise<IndexStatus> {
  const length = await new Journal(view.journal).length();
  const [gaps, setAside, poxUnlockHeights] = await view.index.read(queries =>
    Promise.all([readGaps(queries), summaryOfSetAside(queries), readPoxUnlockHeights(queries)]),
  );
  const { state } = view;
  if (!state) throw new RetryableDatabaseError('CONNECTION_REFUSED', 'no database has been read yet');
  return {
    // An event that is indexed was accepted, even if the journal of a replica does not show it yet.
    journalPosition: Math.max(length, view.newest),
    indexedPosition: state.position,
    gaps,
    setAside,
    burnHeight: state.burnHeight,
    poxUnlockHeights,
  };
}
