import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { retrying } from '../base/store/retry.ts';
import { Journal } from '../ingest/journal/journal.ts';
import { readArchive } from '../ingest/node/archive/read.ts';
import { openJournal } from '../operate/storage/storage.ts';
import { main } from './main.ts';
import { type Options, readOptions } from './options/options.ts';

/*
 * The two commands that Clarinet runs in the container of a devnet's API, while that serves: docs/operations.md#clarinets-devnet. As the
 * server holds the directory, these commands import events like a node: by posting them.
 */

/** How long a starting server may take; it may wait for its database. */
const PATIENCE_MS = 60_000;
const RETRY_MS = 500;

/** @returns the exit status: 0 on success, 1 on failure, 2 on wrong usage, 3 if events were skipped */
export async function runClarinetCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  let called: ReturnType<typeof read>;
  try {
    called = read(args);
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n${USAGE}`, 2);
  }
  const { command, file, values } = called;
  if (file === undefined) return fail(USAGE, 2);
  switch (command) {
    case 'import-events':
      return importEvents(file, values['wipe-db'] === true, readOptions(['serve'], env)).catch(error =>
        fail(error.message),
      );
    case 'export-events':
      if (existsSync(file) && !values['overwrite-file']) return fail(`${file} is there already: add --overwrite-file`);
      return main(['export', file], env);
    default:
      return fail(USAGE, 2);
  }
}

const USAGE = `Usage: node lib/index.js import-events --file FILE [--wipe-db] [--force]
       node lib/index.js export-events --file FILE [--overwrite-file]`;

function read(args: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { file: { type: 'string' }, 'wipe-db': flag, force: flag, 'overwrite-file': flag },
  });
  return { command: positionals.length === 1 ? positionals[0] : undefined, file: values.file, values };
}

async function importEvents(file: string, wipe: boolean, options: Options): Promise<number> {
  // A served index cannot be emptied. Clarinet imports into a new container, where there is nothing to wipe.
  if (wipe && (await eventsOf(options)) > 0)
    return fail('There are events already, and --wipe-db does not delete them: start a new container.');
  let added = 0;
  let skipped = 0;
  for await (const row of readArchive(file)) {
    const refusal = row.kind === 'bad' ? row.reason : await post(row, options);
    if (refusal === undefined) added++;
    else process.stderr.write(`line ${row.line} is skipped: ${refusal}\n`);
    if (refusal !== undefined) skipped++;
  }
  process.stdout.write(`${added} events imported, ${skipped} skipped\n`);
  return skipped === 0 ? 0 : 3;
}

async function eventsOf(options: Options): Promise<number> {
  const { journalDb } = await retrying(() => openJournal(options), {
    patienceMs: PATIENCE_MS,
    onFailure: () => undefined,
  });
  return new Journal(journalDb).length().finally(() => journalDb.close());
}

/** Delivers one event to the server. @returns why it was refused; undefined when it was accepted */
async function post(
  { path, body }: { readonly path: string; readonly body: Uint8Array },
  { eventPort, eventSecret }: Options,
): Promise<string | undefined> {
  const headers = {
    'content-type': 'application/json',
    ...(eventSecret !== undefined && { authorization: `Bearer ${eventSecret}` }),
  };
  let isWaiting = false;
  for (const start = Date.now(); ; await delay(RETRY_MS)) {
    const response = await fetch(`http://127.0.0.1:${eventPort}${path}`, {
      method: 'POST',
      headers,
      body: Buffer.from(body),
    }).catch((error: Error) => error);
    if (!(response instanceof Error) && response.status < 500) {
      const text = await response.text();
      return response.ok ? undefined : `${response.status} ${text}`;
    }
    if (!isWaiting) process.stderr.write(`Waiting for the event server on port ${eventPort} ...\n`);
    isWaiting = true;
    if (Date.now() - start < PATIENCE_MS) continue;
    throw new Error(`the event server on port ${eventPort} does not answer`, { cause: response });
  }
}

function fail(message: string, status = 1): number {
  process.stderr.write(`${message}\n`);
  return status;
}
