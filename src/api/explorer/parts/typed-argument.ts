/** Encodes a text from the form of a read-only call as a serialised value of the type in the contract's interface. */
import {
  type AbiType,
  encodeClarityAscii,
  encodeClarityBool,
  encodeClarityBuffer,
  encodeClarityInt,
  encodeClarityList,
  encodeClarityNone,
  encodeClarityPrincipal,
  encodeClaritySome,
  encodeClarityTuple,
  encodeClarityUint,
  encodeClarityUtf8,
  isValidPrincipal,
} from '../../../base/codec/index.ts';
import { fail, ok, type Result } from '../../../base/lib/result.ts';

/** The error text is for the visitor. */
type Encoded = Result<Uint8Array, string>;

/**
 * A text as a value of a type: numbers in digits, bytes as hex with `0x`, texts as they are, the empty text for `none`,
 * lists as `(list 1 2)` and tuples as `{a: 1, b: 2}`. Within lists and tuples, texts need quotes.
 */
export function encodeArgument(text: string, type: AbiType): Encoded {
  if (isText(type)) return encodeText(text, type);
  if (typeof type === 'object' && 'optional' in type) {
    if (['', 'none'].includes(text.trim())) return ok(encodeClarityNone());
    const inner = encodeArgument(text, type.optional);
    return inner.ok ? ok(encodeClaritySome(inner.value)) : inner;
  }
  const reader = new Reader(text);
  try {
    const value = reader.value(type);
    reader.end();
    return ok(value);
  } catch (error) {
    if (error instanceof Misfit) return fail(error.message);
    throw error;
  }
}

type TextType = Extract<AbiType, { 'string-ascii': unknown } | { 'string-utf8': unknown }>;

const isText = (type: AbiType): type is TextType =>
  typeof type === 'object' && ('string-ascii' in type || 'string-utf8' in type);

function encodeText(text: string, type: TextType): Encoded {
  if ('string-utf8' in type) {
    if ([...text].length > type['string-utf8'].length) return fail(`is longer than ${type['string-utf8'].length}`);
    return ok(encodeClarityUtf8(text));
  }
  if (text.length > type['string-ascii'].length) return fail(`is longer than ${type['string-ascii'].length}`);
  return /^[\x20-\x7e]*$/.test(text) ? ok(encodeClarityAscii(text)) : fail('may have ASCII characters only');
}

/** Ends the reading; within this file only. */
class Misfit extends Error {}

/** Deepest nesting of types. */
const MAX_DEPTH = 32;

/** Reads Clarity literals of an expected type. */
class Reader {
  readonly #words: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#words = text.match(/"(?:\\.|[^"\\])*"|[(){}:,]|[^\s(){}:,"]+|"/g) ?? [];
  }

  end(): void {
    if (this.#at < this.#words.length) throw new Misfit(`ends before “${this.#words[this.#at]}”`);
  }

  value(type: AbiType): Uint8Array {
    if (++this.#depth > MAX_DEPTH) throw new Misfit('is nested too deeply');
    const value = typeof type === 'string' ? this.#atom(type) : this.#compound(type);
    this.#depth--;
    return value;
  }

  #next(what: string): string {
    const word = this.#words[this.#at++];
    if (word === undefined) throw new Misfit(`must be ${what}`);
    return word;
  }

  #skip(word: string): boolean {
    if (this.#words[this.#at] !== word) return false;
    this.#at++;
    return true;
  }

  #expect(word: string): void {
    if (!this.#skip(word)) throw new Misfit(`must have “${word}” here: ${this.#words[this.#at] ?? 'its end'}`);
  }

  #atom(type: Extract<AbiType, string>): Uint8Array {
    switch (type) {
      case 'uint128':
        return encodeClarityUint(this.#number(/^u?(\d{1,39})$/, 0n, 2n ** 128n));
      case 'int128':
        return encodeClarityInt(this.#number(/^(-?\d{1,39})$/, -(2n ** 127n), 2n ** 127n));
      case 'bool': {
        const word = this.#next('true or false');
        if (word !== 'true' && word !== 'false') throw new Misfit('must be true or false');
        return encodeClarityBool(word === 'true');
      }
      case 'principal':
      case 'trait_reference': {
        const principal = this.#next('an address or a contract').replace(/^'/, '');
        if (!isValidPrincipal(principal))
          throw new Misfit('must be an address or a contract, and its checksum must fit');
        return encodeClarityPrincipal(principal);
      }
      case 'none':
        this.#expect('none');
        return encodeClarityNone();
      default:
        return type satisfies never;
    }
  }

  #number(pattern: RegExp, least: bigint, above: bigint): bigint {
    const digits = pattern.exec(this.#next('a number'))?.[1];
    const number = digits === undefined ? undefined : BigInt(digits);
    if (number === undefined || number < least || number >= above) throw new Misfit('must be a number of 128 bits');
    return number;
  }

  #compound(type: Exclude<AbiType, string>): Uint8Array {
    if ('optional' in type) return this.#optional(type.optional);
    if ('buffer' in type) return this.#buffer(type.buffer.length);
    if ('list' in type) return this.#list(type.list);
    if ('tuple' in type) return this.#tuple(type.tuple);
    if ('response' in type) throw new Misfit('cannot be typed: a response is no argument');
    const encoded = encodeText(this.#quoted(), type);
    if (!encoded.ok) throw new Misfit(encoded.error);
    return encoded.value;
  }

  #optional(type: AbiType): Uint8Array {
    if (this.#skip('none')) return encodeClarityNone();
    const isWrapped = this.#words[this.#at] === '(' && this.#words[this.#at + 1] === 'some';
    if (isWrapped) this.#at += 2;
    const value = encodeClaritySome(this.value(type));
    if (isWrapped) this.#expect(')');
    return value;
  }

  #buffer(most: number): Uint8Array {
    const word = this.#next('bytes as hex');
    if (!/^0x([0-9a-fA-F]{2})*$/.test(word)) throw new Misfit('must be bytes as hex, which begin with 0x');
    if (word.length / 2 - 1 > most) throw new Misfit(`must have at most ${most} bytes`);
    return encodeClarityBuffer(Buffer.from(word.slice(2), 'hex'));
  }

  #list({ type, length }: { readonly type: AbiType; readonly length: number }): Uint8Array {
    this.#expect('(');
    this.#expect('list');
    const items: Uint8Array[] = [];
    while (!this.#skip(')')) {
      if (items.length >= length) throw new Misfit(`must have at most ${length} items`);
      items.push(this.value(type));
    }
    return encodeClarityList(items);
  }

  #tuple(members: readonly { readonly name: string; readonly type: AbiType }[]): Uint8Array {
    this.#expect('{');
    const values = new Map<string, Uint8Array>();
    while (!this.#skip('}')) {
      const name = this.#next('the name of a member');
      const member = members.find(each => each.name === name);
      if (!member) throw new Misfit(`has no member “${name}”`);
      this.#expect(':');
      values.set(name, this.value(member.type));
      this.#skip(',');
    }
    const missing = members.find(({ name }) => !values.has(name));
    if (missing) throw new Misfit(`lacks “${missing.name}”`);
    return encodeClarityTuple(Object.fromEntries(values));
  }

  #quoted(): string {
    const word = this.#next('a text in quotes');
    if (word.length < 2 || !word.startsWith('"')) throw new Misfit('must be a text in quotes here');
    return word.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  }
}
