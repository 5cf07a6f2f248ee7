import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointOrder, CheckpointWorkerData } from './sqlite-checkpoint-thread.ts';

/** The thread of sqlite-checkpoint-thread.ts. What it does takes no more than this, so that it stays small. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { file, durability } = workerData as CheckpointWorkerData;

const location = pathToFileURL(file);
location.search = 'mode=rw'; // a file that is gone is an error here, not an empty new one
const db = new DatabaseSync(location);
db.exec(`PRAGMA synchronous = ${durability}`);
const pass = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');

port.on('message', (order: CheckpointOrder) => {
  if (order === 'end') {
    db.close();
    port.close();
    return;
  }
  try {
    pass.get();
  } catch {
    // As with the checkpoint in a COMMIT: what fails now, such as a full disk, is tried again by the next pass.
  }
  port.postMessage('passed');
});
