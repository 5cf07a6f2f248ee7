import { u32 } from '../../lib/number-bytes.ts';
import { parsePrincipal } from '../principal.ts';
import { Prefix } from './wire.ts';

/** Serialised `none`. */
export function encodeClarityNone(): Uint8Array {
  return Uint8Array.of(Prefix.none);
}

/** Serialised `(some value)` of an already serialised value. */
export function encodeClaritySome(value: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(Prefix.some), value]);
}

export function encodeClarityBool(value: boolean): Uint8Array {
  return Uint8Array.of(value ? Prefix.true : Prefix.false);
}

/** Throws RangeError when the number is not an unsigned 128-bit integer. */
export function encodeClarityUint(value: bigint | number): Uint8Array {
  const number = BigInt(value);
  if (BigInt.asUintN(128, number) !== number) throw new RangeError(`${number} is not an unsigned 128-bit integer`);
  return encode128(Prefix.uint, number);
}

/** Throws RangeError when the number is not a signed 128-bit integer. */
export function encodeClarityInt(value: bigint | number): Uint8Array {
  const number = BigInt(value);
  if (BigInt.asIntN(128, number) !== number) throw new RangeError(`${number} is not a signed 128-bit integer`);
  return encode128(Prefix.int, BigInt.asUintN(128, number));
}

export function encodeClarityBuffer(bytes: Uint8Array): Uint8Array {
  return concat([Uint8Array.of(Prefix.buffer), u32(bytes.length), bytes]);
}

export function encodeClarityAscii(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'latin1');
  return concat([Uint8Array.of(Prefix.stringAscii), u32(bytes.length), bytes]);
}

export function encodeClarityUtf8(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return concat([Uint8Array.of(Prefix.stringUtf8), u32(bytes.length), bytes]);
}

/** Serialised principal from `address` or `address.contract-name`. Throws RangeError when the text is not one. */
export function encodeClarityPrincipal(text: string): Uint8Array {
  const principal = parsePrincipal(text);
  if (principal === undefined) throw new RangeError(`not a principal: ${text}`);
  const { version, hash160, contractName } = principal;
  if (contractName === null) return concat([Uint8Array.of(Prefix.standardPrincipal, version), hash160]);
  return concat([Uint8Array.of(Prefix.contractPrincipal, version), hash160, encodeName(contractName)]);
}

/** Serialised tuple from its members, already serialised; members are written sorted by name, as nodes do. */
export function encodeClarityTuple(members: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const sorted = Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = sorted.flatMap(([name, value]) => [encodeName(name), value]);
  return concat([Uint8Array.of(Prefix.tuple), u32(sorted.length), ...parts]);
}

export function encodeClarityList(items: readonly Uint8Array[]): Uint8Array {
  return concat([Uint8Array.of(Prefix.list), u32(items.length), ...items]);
}

/** The arguments of a contract call as in its payload: u32 count, then the serialised values. */
export function encodeClarityArgs(values: readonly Uint8Array[]): Uint8Array {
  return concat([u32(values.length), ...values]);
}

function encodeName(name: string): Uint8Array {
  const bytes = Buffer.from(name, 'latin1');
  if (bytes.length === 0 || bytes.length > 128) throw new RangeError(`a name of ${bytes.length} bytes`);
  return concat([Uint8Array.of(bytes.length), bytes]);
}

function encode128(prefix: number, value: bigint): Uint8Array {
  const bytes = Buffer.alloc(17);
  bytes[0] = prefix;
  bytes.writeBigUInt64BE(value >> 64n, 1);
  bytes.writeBigUInt64BE(value & 0xffff_ffff_ffff_ffffn, 9);
  return new Uint8Array(bytes);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
