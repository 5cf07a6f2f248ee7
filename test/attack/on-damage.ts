import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { writeArchive } from '../../src/ingest/node/archive/write.ts';
import { indexFile } from '../../src/operate/storage/generations.ts';
import { GrowingChain } from '../cost/growing-chain.ts';
import { mountFailingDisk } from '../crash/mounts.ts';
import { runServer } from '../crash/program.ts';
import { seededRandom } from '../crash/random.ts';
import { directoryStore, storeIn } from '../crash/store.ts';
import type { Finding, Size } from './finding.ts';
import { hasStack, measured } from './measured.ts';
import { findingsOf, hasAll, insist, underLoad } from './on-outages.ts';
import { archived, succeed } from './target.ts';

const PAGE = 4096;

/** The pages of large tables. Small tables are spared, as one has the state of the index, without which a server ends at once. */
function pagesOfLargeTables(file: string): number[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const large = "SELECT name FROM dbstat GROUP BY name HAVING count(*) >= 4 AND name <> 'sqlite_schema'";
    const rows = database.prepare(`SELECT pageno FROM dbstat WHERE name IN (${large})`).all();
    return rows.map(({ pageno }) => Number(pageno) - 1);
  } finally {
    database.close();
  }
}

/** Writes garbage over a share of the pages of a database. */
function damage(file: string, pages: readonly number[], share: number, random: ReturnType<typeof seededRandom>): void {
  const handle = openSync(file, 'r+');
  for (const page of pages)
    if (random.next() < share) writeSync(handle, Buffer.alloc(PAGE, 0xff), 0, PAGE, page * PAGE);
  closeSync(handle);
}

/** Damages more and more pages of the index while clients read it; then a block arrives, and the index is rebuilt. */
export async function damagedPages({ name }: Size, seed: number): Promise<Finding[]> {
  const isFull = name === 'full';
  const home = mkdtempSync(join(tmpdir(), 'stacks-index-damage-'));
  const store = storeIn(home);
  const random = seededRandom(seed);
  const chain = new GrowingChain();
  try {
    await writeArchive(join(home, 'chain.tsv'), archived([...chain.begin(), ...chain.grow(isFull ? 300 : 50)]));
    await succeed(['replay', join(home, 'chain.tsv'), ...store.args]);
    const file = indexFile(store.directory ?? '');
    const pages = pagesOfLargeTables(file);
    const server = await runServer(store.args);
    let seen: Awaited<ReturnType<typeof underLoad>>;
    const block = chain.grow(1);
    let code: number | null = 0;
    try {
      if (!(await server.ready)) throw new Error(server.output());
      seen = await underLoad(server, async () => {
        for (const share of isFull ? [0.01, 0.05, 0.2, 0.5, 1] : [0.1, 1]) {
          damage(file, pages, share, random);
          await delay(isFull ? 2_000 : 300);
        }
      });
      // The index cannot continue after this block: the server may end if it reports the reason.
      for (const delivery of block) await server.post(delivery);
      await Promise.race([server.ended, delay(2_000)]);
    } finally {
      ({ code } = await server.kill('SIGTERM'));
    }
    const isExplained = code === 0 || (code === 1 && /stacks-index: .* malformed/.test(server.output()));
    if (process.env.ATTACK_VERBOSE) console.log(server.output().slice(-3_000));
    const crashed = hasStack(server.output()) ? 1 : 0;
    const { code: status, output } = await measured(['reindex', ...store.args], 600_000);
    if (process.env.ATTACK_VERBOSE) console.log(output.slice(-1_000));
    const repaired = await runServer(store.args);
    try {
      if (!(await repaired.ready)) throw new Error(repaired.output());
      const wrong = await insist(repaired, block);
      return [
        ...findingsOf(seen, wrong, await hasAll(repaired, chain)),
        { what: 'whether it ends without the reason', worst: isExplained ? 0 : 1, bound: 0, unit: '' },
        { what: 'status of reindex', worst: status, bound: 0, unit: '' },
        { what: 'whether an error comes that no one foresaw', worst: crashed, bound: 0, unit: '' },
      ];
    } finally {
      await repaired.kill();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Makes the file system read-only while clients read and blocks arrive, as Linux does after a disk error. */
export async function readOnlyDisk({ name }: Size): Promise<Finding[]> {
  const disk = mountFailingDisk(200);
  if ('missing' in disk) return [];
  const store = directoryStore(disk.path);
  const chain = new GrowingChain();
  let [wrong, status, crashed] = [0, 0, 0];
  const all = { bad: 0, responses: 0, slowestMs: 0 };
  const deliveries = chain.begin();
  try {
    for (let times = 0; times < (name === 'full' ? 5 : 1); times++) {
      const server = await runServer([...store.args, '--min-free-space', '0']);
      try {
        if (!(await server.ready)) throw new Error(server.output());
        wrong += await insist(server, deliveries.splice(0));
        const seen = await underLoad(server, async () => {
          wrong += await insist(server, chain.grow(3));
          disk.fail();
          deliveries.push(...chain.grow(3));
          for (const delivery of deliveries) {
            const { status } = await server.post(delivery);
            if (status !== 503) wrong++;
          }
          await delay(1_500);
        });
        all.bad += seen.bad;
        all.responses += seen.responses;
        all.slowestMs = Math.max(all.slowestMs, seen.slowestMs);
        crashed += hasStack(server.output()) ? 1 : 0;
      } finally {
        const { code } = await server.kill('SIGTERM');
        status = Math.max(status, code ?? 255);
        if (process.env.ATTACK_VERBOSE) console.log(server.output().slice(-3_000));
      }
      disk.repair();
    }
    const server = await runServer([...store.args, '--min-free-space', '0']);
    try {
      if (!(await server.ready)) throw new Error(server.output());
      wrong += await insist(server, deliveries);
      return [
        ...findingsOf(all, wrong, await hasAll(server, chain)),
        { what: 'exit status', worst: status, bound: 0, unit: '' },
        { what: 'ends with an error that no one foresaw', worst: crashed, bound: 0, unit: '' },
      ];
    } finally {
      await server.kill();
    }
  } finally {
    disk.remove();
  }
}
