import { type CheckpointThread, type CheckpointWorkerData, startCheckpointThread } from './sqlite-checkpoint-thread.ts';
import type { SqliteHandle } from './sqlite-handle.ts';

/** Keeps the WAL of a writer short. Its functions never throw: a WAL that is too long is slow, never wrong. */
export interface Checkpointer {
  /** To be called before BEGIN: while the WAL is long, waits for one pass over it. */
  beforeWrite(): Promise<void>;
  /** To be called after COMMIT. */
  afterWrite(): void;
  /** Ends what it has started. */
  close(): Promise<void>;
}

interface CheckpointerOptions extends CheckpointWorkerData {
  /** Pages from which on a WAL is long, default 65,536 (256 MiB). */
  readonly longWalPages?: number;
}

/** Smallest number of pages worth a pass; SQLite's own default. */
const PASS_PAGES = 1000;
const LONG_WAL_PAGES = 65_536;

/**
 * Checkpoints in a thread of their own, so that no COMMIT waits until pages are copied into the file and that is synced. The
 * thread starts when there is something to copy. If it fails, COMMIT checkpoints again.
 *
 * A checkpoint is as durable as one in a COMMIT, whichever connection makes it: the WAL is synced before pages of it are copied,
 * and the file before the WAL starts over (sqlite.org/wal.html, "Performance Considerations"), unless `synchronous` is OFF.
 *
 * The WAL starts over with the first write after all of it was copied, unless a reader began before that. With a writer that is
 * faster than the thread this would never happen, so once the WAL is long, the writer waits for a pass to end. It waits for one
 * pass only, as a reader that keeps its snapshot may hold back any number of them.
 */
export function checkpointInThread(writer: SqliteHandle, options: CheckpointerOptions): Checkpointer {
  const { longWalPages = LONG_WAL_PAGES, ...data } = options;
  let thread: CheckpointThread | undefined;
  let hasFailed = false;
  let { pages } = writer.wal();
  writer.checkpointInCommit(false);

  function fail(error: unknown): void {
    hasFailed = true;
    thread = undefined;
    writer.checkpointInCommit(true);
    process.emitWarning(`${data.file}: its checkpoints have no thread any more, so that writing is slower: ${error}`);
  }

  return {
    async beforeWrite() {
      if (pages >= longWalPages) await thread?.finishPass();
    },
    afterWrite() {
      const before = pages;
      const wal = writer.wal();
      pages = wal.pages;
      // Pages that only other connections have written are theirs to copy.
      if (hasFailed || pages === before || pages - wal.copied < PASS_PAGES) return;
      try {
        thread ??= startCheckpointThread(data, fail);
        thread.startPass();
      } catch (error) {
        fail(error);
      }
    },
    async close() {
      await thread?.end();
    },
  };
}

/**
 * Whether this SQLite can do that. Before 3.51.3 a checkpoint of another connection could, very rarely, damage the file
 * (sqlite.org/wal.html, "The WAL-Reset Bug"), and pages of the WAL could not be counted before 3.51.0.
 */
export function canCheckpointInThread(version: string | undefined = process.versions.sqlite): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(Number);
  return major * 1_000_000 + minor * 1000 + patch >= 3_051_003;
}
