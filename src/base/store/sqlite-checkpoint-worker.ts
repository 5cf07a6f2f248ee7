import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointOrder, CheckpointWorkerData } from './sqlite-checkpoint-thread.ts';

/** The thread of sqlite-checkpoint-thread.ts. It imports nothing of the program, so that it stays small. */
if (!parentPort) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { file, durability } = workerData as CheckpointWorkerData;

const location = pathToFileURL(file);
location.search = 'mode=rw'; // a missing file is an error here, and is not created
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
    // As with a checkpoint in COMMIT, the next pass tries again after a failure such as a full disk.
  }
  port.postMessage('passed');
});
