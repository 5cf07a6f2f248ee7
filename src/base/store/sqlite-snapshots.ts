import type { SqliteHandle } from './sqlite-handle.ts';

/** A connection that shows one state of the file, as of its first query. */
interface SqliteSnapshot {
  readonly handle: SqliteHandle;
  /** Readers that use it; it ends with the last one. */
  users: number;
}

/** Snapshots of a file, over a bounded number of connections. */
interface SqliteSnapshots {
  /**
   * A new snapshot, as soon as a connection is free. With `sharing`, perhaps one that the same object got earlier in this turn of the
   * event loop: a new one costs as much as three short queries.
   */
  take(sharing?: object): SqliteSnapshot | Promise<SqliteSnapshot>;
  /** A reader releases its snapshot. */
  give(snapshot: SqliteSnapshot): void;
  /** Later readers do not get this snapshot. */
  unshare(snapshot: SqliteSnapshot): void;
  /** Waits until every snapshot is released, then closes the connections. */
  close(): Promise<void>;
}

/** @param limit connections opened at most */
export function openSqliteSnapshots(open: () => SqliteHandle, limit: number): SqliteSnapshots {
  // The first is opened at once: a file that cannot be read shows at the start.
  const free: SqliteHandle[] = [open()];
  const waiting: ((handle: SqliteHandle) => void)[] = [];
  let opened = 1;
  let shared: { readonly by: object; readonly snapshot: SqliteSnapshot } | undefined;

  function connection(): SqliteHandle | Promise<SqliteHandle> {
    const handle = free.pop();
    if (handle !== undefined) return handle;
    if (opened >= limit) return nextGivenBack();
    const fresh = open();
    opened++;
    return fresh;
  }

  function nextGivenBack(): Promise<SqliteHandle> {
    return new Promise(resolve => waiting.push(resolve));
  }

  function release(handle: SqliteHandle): void {
    const next = waiting.shift();
    if (next === undefined) free.push(handle);
    else next(handle);
  }

  function begin(handle: SqliteHandle): SqliteSnapshot {
    try {
      handle.beginRead();
      return { handle, users: 1 };
    } catch (error) {
      release(handle);
      throw error;
    }
  }

  function share(snapshot: SqliteSnapshot, by: object): SqliteSnapshot {
    snapshot.users++; // the turn itself
    shared = { by, snapshot };
    setImmediate(() => {
      unshare(snapshot);
      try {
        give(snapshot);
      } catch {} // the next user of the connection gets the error
    });
    return snapshot;
  }

  function take(sharing?: object): SqliteSnapshot | Promise<SqliteSnapshot> {
    if (shared !== undefined && shared.by === sharing) {
      shared.snapshot.users++;
      return shared.snapshot;
    }
    const handle = connection();
    if (handle instanceof Promise) return handle.then(begin);
    return sharing === undefined ? begin(handle) : share(begin(handle), sharing);
  }

  function unshare(snapshot: SqliteSnapshot): void {
    if (shared?.snapshot === snapshot) shared = undefined;
  }

  function give(snapshot: SqliteSnapshot): void {
    if (--snapshot.users > 0) return;
    try {
      snapshot.handle.rollback(); // a snapshot that stays open would keep the WAL from being cut back
    } finally {
      release(snapshot.handle);
    }
  }

  async function close(): Promise<void> {
    for (; opened > 0; opened--) (free.pop() ?? (await nextGivenBack())).close();
  }

  return { take, give, unshare, close };
}
