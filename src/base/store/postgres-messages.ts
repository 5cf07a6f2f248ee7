import type { Row, SqlValue } from './database.ts';
import { growingBuffer } from './postgres-binary.ts';
import { postgresTypes } from './postgres-pool.ts';

/**
 * The messages by which a reader sends statements and receives rows. Source: PostgreSQL manual, "Message Formats" and "Extended Query".
 */

/** First bytes of what the server sends. */
export const RECEIVED = {
  parseComplete: 0x31,
  bindComplete: 0x32,
  closeComplete: 0x33,
  commandComplete: 0x43,
  dataRow: 0x44,
  emptyQuery: 0x49,
  rowDescription: 0x54,
  readyForQuery: 0x5a,
  noData: 0x6e,
  parameterDescription: 0x74,
} as const;

const PARSE = 0x50;
const BIND = 0x42;
const DESCRIBE = 0x44;

const TEXT = 0;
const BINARY = 1;
const NULL_LENGTH = -1;
/** A type of 0: the server finds out. */
const NO_TYPES = 0;

/** Execute the unnamed portal, all rows of it. */
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
/** Ends the transaction, unless BEGIN made it a block. */
export const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
/** Has the server send what it holds back until a Sync. */
export const FLUSH = Buffer.from([0x48, 0, 0, 0, 4]);

/** A column of a result. */
interface Column {
  readonly name: string;
  /** Decodes the binary form; only for bigint and bytea, which are longer as text. */
  readonly fromBytes: ((message: Buffer, from: number, to: number) => SqlValue) | undefined;
  readonly fromText: (text: string) => SqlValue;
}

export type ResultColumns = readonly Column[];

const INT8 = 20;
const BYTEA = 17;

const FROM_BYTES: Readonly<Record<number, Column['fromBytes']>> = {
  // A copy: a view would keep the whole chunk in memory.
  [BYTEA]: (message, from, to) => new Uint8Array(message.subarray(from, to)),
  [INT8]: (message, from) => {
    const value = message.readInt32BE(from) * 2 ** 32 + message.readUInt32BE(from + 4);
    // The parser of the text form throws the error.
    return Number.isSafeInteger(value)
      ? value
      : postgresTypes.getTypeParser(INT8)(String(message.readBigInt64BE(from)));
  },
};

/** The columns that a RowDescription names. @param at the first byte behind the length of the message */
export function readRowDescription(message: Buffer, at: number): ResultColumns {
  const columns: Column[] = [];
  const count = message.readInt16BE(at);
  let from = at + 2;
  for (let i = 0; i < count; i++) {
    const end = message.indexOf(0, from);
    const name = message.toString('utf8', from, end);
    const oid = message.readUInt32BE(end + 7); // after table and column
    columns.push({ name, fromBytes: FROM_BYTES[oid], fromText: postgresTypes.getTypeParser(oid) });
    from = end + 19;
  }
  return columns;
}

/**
 * The row of a DataRow.
 * @param at the first byte behind the length of the message
 * @param isBinary whether the statement was bound with these columns
 * @throws FatalDatabaseError (INVALID_VALUE) for an integer that is not safe
 */
export function readDataRow(columns: ResultColumns, message: Buffer, at: number, isBinary: boolean): Row {
  const row: Record<string, SqlValue> = {};
  let from = at + 2; // the count of values
  for (const { name, fromBytes, fromText } of columns) {
    const length = message.readInt32BE(from);
    from += 4;
    if (length === NULL_LENGTH) {
      row[name] = null;
      continue;
    }
    const to = from + length;
    row[name] = isBinary && fromBytes ? fromBytes(message, from, to) : fromText(message.toString('utf8', from, to));
    from = to;
  }
  return row;
}

/** Prepares a statement, and has the server describe its result. @param name empty: it lasts until the next one without a name */
export function prepareMessages(name: string, text: string): Buffer {
  const parse = growingBuffer();
  parse.zeroEnded(name);
  parse.zeroEnded(text);
  parse.int16(NO_TYPES);
  const describe = growingBuffer();
  describe.bytes(Buffer.from('S'));
  describe.zeroEnded(name);
  return Buffer.concat([framed(PARSE, parse.result()), framed(DESCRIBE, describe.result())]);
}

function framed(type: number, body: Buffer): Buffer {
  const head = Buffer.allocUnsafe(5);
  head[0] = type;
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * Runs a prepared statement with these parameters.
 * @param columns of its result, where they are known: then the server sends bytes and integers in binary
 */
export function runMessages(name: string, params: readonly SqlValue[], columns: ResultColumns | undefined): Buffer {
  const message = growingBuffer();
  message.bytes(BIND_HEAD);
  message.zeroEnded('');
  message.zeroEnded(name);
  message.int16(params.length);
  for (const value of params) message.int16(value instanceof Uint8Array ? BINARY : TEXT);
  message.int16(params.length);
  for (const value of params) {
    if (value === null) message.int32(NULL_LENGTH);
    else if (value instanceof Uint8Array) {
      message.int32(value.length);
      message.bytes(value);
    } else message.text(String(value));
  }
  message.int16(columns?.length ?? 0);
  for (const { fromBytes } of columns ?? []) message.int16(fromBytes ? BINARY : TEXT);
  const length = message.size();
  message.bytes(EXECUTE);
  const bytes = message.result();
  bytes.writeInt32BE(length - 1, 1);
  return bytes;
}

/** The length is written when it is known. */
const BIND_HEAD = Buffer.from([BIND, 0, 0, 0, 0]);
