import { AppError } from '../../base/lib/app-error.ts';
import type { Database } from '../../base/store/database.ts';
import { FatalDatabaseError } from '../../base/store/errors.ts';
import { waitingTotals } from '../../ingest/journal/waiting-deliveries.ts';

/** A command needs all events in the journal, but some wait until an archive is loaded. */
class EventsWaiting extends AppError {
  override readonly name = 'EventsWaiting';
  override readonly kind = 'operator';

  constructor(count: number) {
    super(`${count} events of the node wait until an archive is loaded, and are not in the journal yet`, {
      hint: 'Let `serve --replay` load the archive to its end; or start `serve --replay none`, which goes on with what is loaded. Then run this command again.',
    });
  }
}

/** @throws EventsWaiting */
export async function refuseWaitingEvents(journalDb: Database): Promise<void> {
  const { count } = await journalDb.read(waitingTotals).catch(error => {
    // The first process that writes the journal creates the table.
    if (error instanceof FatalDatabaseError && error.code === 'SCHEMA') return { count: 0 };
    throw error;
  });
  if (count > 0) throw new EventsWaiting(count);
}
