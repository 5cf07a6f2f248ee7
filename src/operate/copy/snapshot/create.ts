import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { systemMessage } from '../../../base/lib/app-error.ts';
import {
  completePartial,
  fileSystemError,
  partialOf,
  removeLeftovers,
  replaceableFile,
} from '../../../base/lib/partial-file.ts';
import type { Queries } from '../../../base/store/database.ts';
import { readState } from '../../../ingest/indexer/index-state.ts';
import { summaryOfRebuilt } from '../../../ingest/indexer/rebuilt-blocks.ts';
import { readBinding } from '../../storage/chain-binding.ts';
import { pagesOf } from '../pages.ts';
import { type Meter, type MeterOptions, meterOf, type Part, partsOf, rowTotal } from '../parts.ts';
import { type CopyLocation, CopyRefused, identityOf, openSource } from '../source.ts';
import { endOf, type SnapshotHeader, type SnapshotPart, writeHeader } from './header.ts';
import { END_OF_TABLE, encodePage } from './rows.ts';

interface CreateSnapshotOptions extends MeterOptions {
  readonly from: CopyLocation;
  readonly file: string;
  /** Version of this program. */
  readonly program: string;
  /** Computes the state hash for the header; without it, the header has none. */
  readonly stateHashOf?: (index: Queries) => Promise<string>;
}

/**
 * Writes journal, current index and what was fetched about tokens to one file, also while they are served and events arrive: the
 * index as it is now, and a journal that has all that the index has applied. Images are not in it. The file appears under its name only
 * when it is complete and on the disk (partial-file.ts).
 * @throws the reason of the signal; CopyRefused, IndexMismatch, NotReplaceable, UnfinishedCopy, the two database errors
 */
export async function createSnapshot(options: CreateSnapshotOptions): Promise<SnapshotHeader> {
  const path = await replaceableFile(options.file);
  const source = await openSource(options.from, { served: true });
  const temporary = partialOf(path);
  try {
    await removeLeftovers(dirname(path), name => name === basename(path));
    const file = await open(temporary, 'wx', 0o600);
    try {
      const sources = await partsOf(source);
      const meter = meterOf(await rowTotal(sources), options);
      const parts: SnapshotPart[] = [];
      const add = async (part: Part, queries: Queries) => {
        const output = { path: temporary, start: endOf(parts) };
        parts.push(await writePart(part, queries, output, meter));
      };
      const [indexPart, ...others] = sources;
      const index = await indexPart.db.read(async queries => {
        await identityOf(queries, source);
        await add(indexPart, queries);
        return {
          ...(await readBinding(queries)),
          ...(await readState(queries)),
          rebuilt: await summaryOfRebuilt(queries),
          stateHash: await options.stateHashOf?.(queries),
        };
      });
      for (const part of others) await part.db.read(queries => add(part, queries));
      const header: SnapshotHeader = {
        program: options.program,
        schemaVersion: index.schemaVersion ?? 0,
        chainId: index.chainId ?? 0,
        createdAt: new Date().toISOString(),
        tip: index.tip && { height: index.tip.height, indexBlockHash: index.tip.indexBlockHash },
        position: index.position,
        journalLength: parts.find(({ name }) => name === 'journal')?.tables[0]?.rows ?? 0,
        ...(index.rebuilt.count > 0 && {
          rebuilt: { count: index.rebuilt.count, unknown: index.rebuilt.unknown },
        }),
        ...(index.stateHash !== undefined && { stateHash: index.stateHash }),
        parts,
      };
      await writeHeader(file, header);
      await file.sync();
      await completePartial(path);
      return header;
    } finally {
      await file.close();
    }
  } catch (error) {
    await rm(temporary, { force: true });
    const failure = fileSystemError(error);
    throw failure ? notWritten(options.file, failure) : error;
  } finally {
    await source.close();
  }
}

async function writePart(
  { name, present }: Part,
  queries: Queries,
  output: { readonly path: string; readonly start: number },
  meter: Meter,
): Promise<SnapshotPart> {
  const written: SnapshotPart['tables'][number][] = [];
  async function* rowsOfTables(): AsyncGenerator<Uint8Array> {
    for (const table of present) {
      const hash = createHash('sha256');
      let rows = 0;
      for await (const page of pagesOf(queries, table)) {
        const { head, values } = encodePage(page);
        hash.update(values);
        yield head;
        yield values;
        rows += page.length;
        await meter('reading', table, page.length);
      }
      yield END_OF_TABLE;
      written.push({ name: table.name, columns: table.columns, rows, digest: hash.digest('hex') });
    }
  }
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(
    Readable.from(rowsOfTables()),
    createZstdCompress(),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(output.path, { flags: 'r+', start: output.start }),
  );
  return { name, bytes, sha256: hash.digest('hex'), tables: written };
}

const notWritten = (file: string, cause: NodeJS.ErrnoException): CopyRefused =>
  new CopyRefused(`${file} cannot be written: ${systemMessage(cause)}`, 'Name a file where there is room for it.', {
    cause,
  });
