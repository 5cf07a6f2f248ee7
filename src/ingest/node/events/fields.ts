import { AppError } from '../../../base/lib/app-error.ts';
import { isJsonObject, type JsonObject } from '../../../base/lib/json.ts';
import { ListInPieces } from './pieces.ts';

/** Takes a value of the parsed body (undefined when absent) and the object it is a field of; throws InvalidField. */
export type Reader<T> = (value: unknown, owner: JsonObject) => T;

/** The type that a reader returns. */
export type ReaderResult<R> = R extends Reader<infer T> ? T : never;

/** A field has an invalid value. The error has its place, which the enclosing readers complete as it propagates. */
export class InvalidField extends AppError {
  override readonly name = 'InvalidField';
  override readonly kind = 'caller';
  readonly expected: string;
  path: string;
  /** The wrong value, if it is short. */
  #given: string | undefined;

  constructor(expected: string) {
    super(expected);
    this.expected = expected;
    this.path = '';
  }

  /** Adds one step to the place: the object or array that holds `value` at `step`. */
  placeAt(step: string, value: unknown): this {
    if (this.path === '') this.#given = shown(value);
    this.path = `${step}${this.path === '' || this.path.startsWith('[') ? '' : '.'}${this.path}`;
    return this;
  }

  /** For example `transactions[3].raw_tx must be 0x-prefixed hex; it is "8080"`. */
  describe(whole: string): string {
    const given = this.#given === undefined ? '' : `; it is ${this.#given}`;
    return `${this.path === '' ? whole : this.path} must be ${this.expected}${given}`;
  }
}

/** Characters of a wrong text that a message shows. */
const SHOWN = 80;

/** The value for a message; undefined if it may be large. */
function shown(value: unknown): string | undefined {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN));
  return typeof value === 'object' && value !== null ? undefined : String(value);
}

function invalid(expected: string): never {
  throw new InvalidField(expected);
}

const placedAt = (step: string, value: unknown, error: unknown): unknown =>
  error instanceof InvalidField ? error.placeAt(step, value) : error;

/** Runs a reader on a named field, so that a failure names it. */
export function field<T>(owner: JsonObject, name: string, read: Reader<T>): T {
  try {
    return read(owner[name], owner);
  } catch (error) {
    throw placedAt(name, owner[name], error);
  }
}

export const jsonObject: Reader<JsonObject> = value => (isJsonObject(value) ? value : invalid('an object'));

/** An object with exactly these fields; other fields of the input are left out. */
export function object<F extends Readonly<Record<string, Reader<unknown>>>>(
  fields: F,
): Reader<{ readonly [K in keyof F]: ReaderResult<F[K]> }> {
  const names = Object.keys(fields);
  const readers = Object.values(fields);
  return value => {
    const owner = jsonObject(value, {});
    const result: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      result[name] = field(owner, name, readers[i] as Reader<unknown>);
    }
    return result as { readonly [K in keyof F]: ReaderResult<F[K]> };
  };
}

/** A field that must differ from another one of the same object: nothing is its own parent. */
export function otherThan<T>(name: string, read: Reader<T>): Reader<T> {
  return (value, owner) => {
    const result = read(value, owner);
    return field(owner, name, optional(read)) === result ? invalid(`different from ${name}`) : result;
  };
}

export function array<T>(readItem: Reader<T>): Reader<readonly T[]> {
  return (value, owner) => {
    const items: T[] = [];
    const readAll = (values: readonly unknown[]) => {
      for (let i = 0; i < values.length; i++) {
        try {
          items.push(readItem(values[i], owner));
        } catch (error) {
          throw placedAt(`[${i}]`, values[i], error);
        }
      }
    };
    if (Array.isArray(value)) readAll(value);
    else if (value instanceof ListInPieces) {
      // After an error the caller parses the whole body, as the place in this error is wrong.
      for (const piece of value.pieces()) {
        readAll(piece);
        if (!value.isKept) items.length = 0;
      }
    } else return invalid('an array');
    return items;
  };
}

/** Absent and null are both null. */
export function optional<T>(read: Reader<T>): Reader<T | null> {
  return (value, owner) => (value === undefined || value === null ? null : read(value, owner));
}

/** Keeps what was read if `holds`. */
export function checked<T>(read: Reader<T>, expected: string, holds: (value: T) => boolean): Reader<T> {
  return (value, owner) => {
    const result = read(value, owner);
    return holds(result) ? result : invalid(expected);
  };
}

export const boolean: Reader<boolean> = value => (typeof value === 'boolean' ? value : invalid('true or false'));

/** Any text, control characters and NUL included. */
export const string: Reader<string> = value => (typeof value === 'string' ? value : invalid('a string'));

/** Heights, times, counts, costs. */
export const nonNegativeInteger: Reader<number> = value =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : invalid('a non-negative integer below 2^53');

/** An integer that some nodes send as a decimal string. */
export const integerOrDecimal: Reader<number> = (value, owner) =>
  nonNegativeInteger(typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value, owner);

const decimalText = /^\d{1,39}$/;

/** An amount: decimal digits, at most as many as 2^128 - 1 has. */
export const decimalAmount: Reader<string> = value =>
  typeof value === 'string' && decimalText.test(value) ? value : invalid('a decimal string of at most 39 digits');

function printable(expected: string, pattern: RegExp): Reader<string> {
  return value => (typeof value === 'string' && pattern.test(value) ? value : invalid(expected));
}

/** A principal, a contract identifier or a Bitcoin address, as text: its meaning is not checked here. */
export const principalText = printable('1 to 200 characters of printable ASCII', /^[\x20-\x7e]{1,200}$/);

/** `ADDR.contract::asset`. Two names of up to 128 characters and an address. */
export const assetIdentifierText = printable('1 to 400 characters of printable ASCII', /^[\x20-\x7e]{1,400}$/);

/** Any number of bytes as `0x` and hex. Returned in lower case. */
export const hex: Reader<string> = value =>
  (typeof value === 'string' && value.startsWith('0x') ? lowerHex(value, 2) : undefined) ?? invalid('0x-prefixed hex');

/** Exactly this many bytes, as `0x` and hex. Returned in lower case. */
export function hexOf(bytes: number): Reader<string> {
  const length = 2 + 2 * bytes;
  const expected = `0x-prefixed hex of ${bytes} bytes`;
  // The events of a transaction repeat its id: check it once, and keep it in memory once.
  let last: string | undefined;
  return value => {
    if (typeof value !== 'string' || value.length !== length || !value.startsWith('0x')) return invalid(expected);
    if (value !== last) last = lowerHex(value, 2);
    return last ?? invalid(expected);
  };
}

/** Hex that the node sends without `0x`. Removes a prefix; returned in lower case. */
export function bareHex(bytes?: number): Reader<string> {
  const expected = bytes === undefined ? 'hex' : `hex of ${bytes} bytes`;
  return value => {
    if (typeof value !== 'string') return invalid(expected);
    const digits = value.startsWith('0x') ? value.slice(2) : value;
    if (bytes !== undefined && digits.length !== 2 * bytes) return invalid(expected);
    return lowerHex(digits, 0) ?? invalid(expected);
  };
}

export const hash20 = hexOf(20);
export const hash32 = hexOf(32);

/** A search for characters that are not hex never backtracks, however long the text is. */
const notLowerHex = /[^0-9a-f]/;

function lowerHex(value: string, start: number): string | undefined {
  if (value.length % 2 !== 0) return undefined;
  if (!notLowerHex.test(value.slice(start))) return value;
  if (/[^0-9a-fA-F]/.test(value.slice(start))) return undefined;
  return value.toLowerCase();
}
