import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readArchive } from '../../src/ingest/node/archive/read.ts';

const program = join(import.meta.dirname, '../../bin/stacks-index');

/** Starts `stacks-index serve` with these options. */
export const startServer = (options: readonly string[]): ChildProcess =>
  spawn(program, ['serve', ...options], { stdio: ['ignore', 'inherit', 'inherit'] });

/** Runs one command of the program. @throws Error with its output where it fails */
export function run(...args: string[]): void {
  const done = spawnSync(program, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`stacks-index ${args.join(' ')} ended with ${done.status}:\n${done.stderr}`);
}

/** Waits until a server responds. @throws Error where it ends first */
export async function untilReady(port: number, server: ChildProcess): Promise<void> {
  // A busy machine takes long to start a process; one that has ended is not waited for.
  for (let tries = 0; tries < 6_000; tries++) {
    if (server.exitCode !== null) throw new Error('the server ended');
    const up = await fetch(`http://127.0.0.1:${port}/extended`).then(
      response => response.ok,
      () => false,
    );
    if (up) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('the server does not respond');
}

/** Posts an archive to an event server as a node does; `twice` each event twice in a row, and then all of it once more. */
export async function postAll(
  archive: string,
  eventPort: number,
  { twice }: { readonly twice: boolean },
): Promise<void> {
  const post = async (path: string, body: Uint8Array) => {
    const response = await fetch(`http://127.0.0.1:${eventPort}${path}`, { method: 'POST', body: Buffer.from(body) });
    if (response.status !== 200) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
  };
  for (let round = 0; round < (twice ? 2 : 1); round++) {
    for await (const row of readArchive(archive)) {
      if (row.kind === 'bad') throw new Error(`${archive}:${row.line}: ${row.reason}`);
      await post(row.path, row.body);
      if (twice && round === 0) await post(row.path, row.body);
    }
  }
}

/** Waits until everything that was delivered is in the index. */
export async function caughtUp(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const status = (await (await fetch(`http://127.0.0.1:${port}/extended`)).json()) as { lag?: number };
    if (status.lag === 0) return;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('the index does not catch up');
}
