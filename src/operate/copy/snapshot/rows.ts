import { isUtf8 } from 'node:buffer';
import type { Columns, SqlValue } from '../../../base/store/database.ts';
import { type ColumnKind, columnKind } from '../../../base/store/ddl.ts';
import { growingBuffer, writeField } from '../../../base/store/postgres-binary.ts';
import { MAX_PAGE_BYTES, MAX_PAGE_ROWS, type Tuple } from '../pages.ts';

/*
 * The rows of a table in a snapshot are pages: the length of the page in bytes, the number of its rows (both four bytes, big-endian), and
 * its values, each as its length and its bytes. A page of length 0 ends the table.
 */

const PAGE_HEAD = 8;

/** The checksum of a table covers only the values, as in compare.ts. */
interface EncodedPage {
  readonly head: Buffer;
  readonly values: Buffer;
}

export function encodePage(rows: readonly Tuple[]): EncodedPage {
  const values = growingBuffer();
  for (const row of rows) for (const value of row) writeField(values, value);
  const head = Buffer.alloc(PAGE_HEAD);
  head.writeUInt32BE(values.size(), 0);
  head.writeUInt32BE(rows.length, 4);
  return { head, values: values.result() };
}

export const END_OF_TABLE: Uint8Array = Buffer.alloc(PAGE_HEAD);

/** A page as it was read. */
interface ReadPage {
  readonly rows: readonly Tuple[];
  readonly values: Buffer;
}

export interface RowReader {
  /** The pages of the next table. */
  pages(columns: Columns): AsyncIterable<ReadPage>;
  /** Checks that nothing follows the last table. @throws the error of `damaged` */
  end(): Promise<void>;
}

/** Longest row that the reader accepts: more than the payload of the largest event (ingest/node/events/json.ts). */
const MAX_ROW_BYTES = 500 * 1024 * 1024;
const INT_BYTES = 8;

/**
 * Reads tables one after the other from the bytes of a part, which an attacker may have written: it loads a page into memory only if
 * encodePage could have made one of its size.
 * @param damaged makes the error to throw
 */
export function rowReader(chunks: AsyncIterable<Uint8Array>, damaged: (what: string) => Error): RowReader {
  const bytes = byteReader(chunks);
  const next = async (length: number): Promise<Buffer> => {
    const read = await bytes.take(length);
    if (!read) throw damaged('it ends too early');
    return read;
  };
  return {
    async *pages(columns) {
      for (;;) {
        const head = await next(PAGE_HEAD);
        const length = head.readUInt32BE(0);
        const count = head.readUInt32BE(4);
        if (length === 0 && count === 0) return;
        if (count < 1 || count > MAX_PAGE_ROWS || length > MAX_PAGE_BYTES + MAX_ROW_BYTES)
          throw damaged(`it has a page of ${count} rows and ${length} bytes`);
        const values = await next(length);
        const rows = decodePage(values, count, columns);
        if (!rows) throw damaged('it has a page whose values are not those of its table');
        yield { rows, values };
      }
    },
    async end() {
      if (await bytes.take(1)) throw damaged('it goes on behind its last table');
    },
  };
}

/** Undefined unless the page has exactly this number of rows, with values that the columns can hold. */
function decodePage(page: Buffer, rows: number, columns: Columns): readonly Tuple[] | undefined {
  const kinds = Object.values(columns).map(columnKind);
  let at = 0;
  /** Undefined if it is no value of this kind. */
  const value = ({ kind, nullable }: ColumnKind): SqlValue | undefined => {
    if (at + 4 > page.length) return undefined;
    const length = page.readInt32BE(at);
    at += 4;
    if (length === -1 && nullable) return null;
    if (length < 0 || at + length > page.length) return undefined;
    const field = page.subarray(at, at + length);
    at += length;
    switch (kind) {
      case 'int':
        return length === INT_BYTES ? safeInteger(field) : undefined;
      case 'text':
        return isUtf8(field) ? field.toString() : undefined;
      case 'bytes':
        return field;
      default:
        return kind satisfies never;
    }
  };
  const decoded: Tuple[] = [];
  for (let row = 0; row < rows; row++) {
    const values: SqlValue[] = [];
    for (const each of kinds) {
      const found = value(each);
      if (found === undefined) return undefined;
      values.push(found);
    }
    decoded.push(values);
  }
  return at === page.length ? decoded : undefined;
}

function safeInteger(field: Buffer): number | undefined {
  const value = field.readInt32BE(0) * 2 ** 32 + field.readUInt32BE(4);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** `take` resolves to undefined if the bytes end before. */
function byteReader(chunks: AsyncIterable<Uint8Array>): { take(length: number): Promise<Buffer | undefined> } {
  const iterator = chunks[Symbol.asyncIterator]();
  let waiting: Uint8Array[] = [];
  let held = 0;
  return {
    async take(length) {
      while (held < length) {
        const next = await iterator.next();
        if (next.done) return undefined;
        waiting.push(next.value);
        held += next.value.length;
      }
      const all = Buffer.concat(waiting);
      waiting = [all.subarray(length)];
      held -= length;
      return all.subarray(0, length);
    },
  };
}
