import type { Value } from './database.ts';
import { FatalDatabaseError } from './errors.ts';

/** Object ids of types, from pg_type. */
const PARSERS: Readonly<Record<number, (text: string) => Value>> = {
  16: text => (text === 't' ? 1 : 0), // boolean, as SQLite gives it
  17: bytes,
  20: integer, // bigint, count(*)
  21: integer,
  23: integer,
  26: integer,
  700: Number,
  701: Number,
  1700: numeric, // sum(bigint)
};

/** Parsers for the clients of one pool: every type becomes a Value, and the same one that SQLite gives. */
export const postgresTypes = {
  getTypeParser: (oid: number): ((text: string) => Value) => PARSERS[oid] ?? text,
};

function text(value: string): Value {
  return value;
}

/** bytea in its hex form, `\x0102`. */
function bytes(value: string): Uint8Array {
  const buffer = Buffer.from(value.slice(2), 'hex');
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}

function integer(value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new FatalDatabaseError('INVALID_VALUE', `the integer ${value} of a result is not below 2^53`);
}

function numeric(value: string): number {
  return /^-?\d+$/.test(value) ? integer(value) : Number(value);
}
