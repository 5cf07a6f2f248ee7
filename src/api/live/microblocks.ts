import { hexBytes } from '../../base/lib/hex.ts';
import type { Queries } from '../../base/store/database.ts';
import { readState } from '../../ingest/indexer/index-state.ts';
import { findMicroblock } from '../records/microblocks/queries.ts';

/** Finds microblocks that extend the tip and did not at the last look (before epoch 2.5 only). */
export class MicroblockWatch {
  #seen: ReadonlySet<string> | undefined;

  /** Whether no scan has been made yet. */
  get isBlank(): boolean {
    return this.#seen === undefined;
  }

  forget(): void {
    this.#seen = undefined;
  }

  /** JSON texts of the records of new microblocks; empty at the first scan. */
  async look(queries: Queries): Promise<string[]> {
    const { microblocks } = await readState(queries);
    const hashes = microblocks.map(({ hash }) => hash);
    const before = this.#seen;
    this.#seen = new Set(hashes);
    const texts: string[] = [];
    for (const hash of before ? hashes.filter(hash => !before.has(hash)) : [])
      texts.push(JSON.stringify(await findMicroblock(queries, hexBytes(hash))));
    return texts;
  }
}
