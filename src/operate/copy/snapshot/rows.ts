import type { Columns, SqlValue } from '../../../base/store/database.ts';
import { columnKind } from '../../../base/store/ddl.ts';
import { growingBuffer, writeField } from '../../../base/store/postgres-binary.ts';
import type { Tuple } from '../pages.ts';

/*
 * The rows of a table in a snapshot are pages: the length of the page in bytes, the number of its rows (both four bytes, big-endian), and
 * its values, each as its length and its bytes. A page of length 0 ends the table.
 */

const PAGE_HEAD = 8;

/** The values alone are what the checksum of a table is of, as in compare.ts. */
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

export interface RowReader {
  /** The pages of the next table. */
  pages(columns: Columns): AsyncIterable<readonly Tuple[]>;
}

/** Reads tables one after the other from the bytes of a part. @throws RangeError where the bytes end too early */
export function rowReader(chunks: AsyncIterable<Uint8Array>): RowReader {
  const bytes = byteReader(chunks);
  return {
    async *pages(columns) {
      for (;;) {
        const head = await bytes.take(PAGE_HEAD);
        const length = head.readUInt32BE(0);
        if (length === 0) return;
        const rows = head.readUInt32BE(4);
        yield decodePage(await bytes.take(length), rows, columns);
      }
    },
  };
}

function decodePage(page: Buffer, rows: number, columns: Columns): readonly Tuple[] {
  const kinds = Object.values(columns).map(type => columnKind(type).kind);
  let at = 0;
  const value = (kind: (typeof kinds)[number]): SqlValue => {
    const length = page.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    const field = page.subarray(at, at + length);
    at += length;
    switch (kind) {
      case 'int':
        return field.readInt32BE(0) * 2 ** 32 + field.readUInt32BE(4);
      case 'text':
        return field.toString();
      case 'bytes':
        return field;
      default:
        return kind satisfies never;
    }
  };
  return Array.from({ length: rows }, () => kinds.map(value));
}

function byteReader(chunks: AsyncIterable<Uint8Array>): { take(length: number): Promise<Buffer> } {
  const iterator = chunks[Symbol.asyncIterator]();
  let waiting: Uint8Array[] = [];
  let held = 0;
  return {
    async take(length) {
      while (held < length) {
        const next = await iterator.next();
        if (next.done) throw new RangeError('a part of the snapshot ends too early');
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
