import { BoundedCache } from '../lib/bounded-cache.ts';
import type { Cursor } from './byte-cursor.ts';
import { c32checkDecode, c32checkEncode, type StacksAddress } from './c32.ts';

/** An account (`contractName` null) or a contract, with `address` spelled in its canonical form. */
export interface Principal extends StacksAddress {
  readonly address: string;
  readonly contractName: string | null;
}

const CONTRACT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/;
const LONGEST_ADDRESS = 41;

/** Address texts by version character and hash: most transactions repeat a few thousand addresses. */
const addressTexts = new BoundedCache<string, string>(20_000);

/**
 * c32check text of an address: version 0-31 and a 20-byte hash.
 * Throws RangeError on any other version or hash length.
 */
export function encodeAddress(version: number, hash160: Uint8Array): string {
  // Checked here because the cache key keeps only the low bits of a version.
  if (!Number.isInteger(version) || version < 0 || version > 31) throw new RangeError(`address version ${version}`);
  const bytes = Buffer.from(hash160.buffer, hash160.byteOffset, hash160.byteLength);
  return addressText(version, bytes, 0, bytes.length);
}

/**
 * Version and hash of a standard address, of any network and letter case; undefined when it is not one
 * (docs/spec/codec.md#stacks-addresses).
 */
export function decodeAddress(text: string): StacksAddress | undefined {
  return c32checkDecode(text);
}

/** True for a c32check address of any version 0-31; contract principals are not standard addresses. */
export function isValidStandardAddress(text: string): boolean {
  return c32checkDecode(text) !== undefined;
}

/** True for a standard address or `address.contract-name`; see parsePrincipal for the leniency. */
export function isValidPrincipal(text: string): boolean {
  return parsePrincipal(text) !== undefined;
}

/**
 * The principal that a text names; undefined when it names none. As lenient as users expect
 * (docs/spec/http.md#principals): any letter case, O for 0 and I or L for 1, any version. The checksum must
 * hold, and a contract name has no dot. `address` in the result is the canonical spelling.
 */
export function parsePrincipal(text: string): Principal | undefined {
  const dot = text.indexOf('.');
  const addressPart = dot < 0 ? text : text.slice(0, dot);
  const contractName = dot < 0 ? null : text.slice(dot + 1);
  if (addressPart.length > LONGEST_ADDRESS) return undefined;
  if (contractName !== null && !CONTRACT_NAME.test(contractName)) return undefined;
  const decoded = c32checkDecode(addressPart);
  if (decoded === undefined) return undefined;
  return { ...decoded, address: encodeAddress(decoded.version, decoded.hash160), contractName };
}

/** Reads version byte and hash, and gives the address text. */
export function readAddress(cursor: Cursor): string {
  const at = takeAddress(cursor);
  return addressText(cursor.bytes[at] as number, cursor.bytes, at + 1, at + 21);
}

/** Moves past version byte and hash, and returns where they start. */
function takeAddress(cursor: Cursor): number {
  const at = cursor.take(21);
  const version = cursor.bytes[at] as number;
  if (version > 31) cursor.fail('invalid_address', `address version ${version}`, at);
  return at;
}

/** Reads a 20-byte hash whose version is known from elsewhere, and gives the address text. */
export function readAddressOfVersion(cursor: Cursor, version: number): string {
  const at = cursor.take(20);
  return addressText(version, cursor.bytes, at, at + 20);
}

/** Reads a Clarity principal after its prefix byte: `address`, or `address.name` for a contract. */
export function readPrincipalBody(cursor: Cursor, isContract: boolean): string {
  const address = readAddress(cursor);
  return isContract ? `${address}.${cursor.contractName()}` : address;
}

/** Moves past a Clarity principal after its prefix byte. */
export function passPrincipalBody(cursor: Cursor, isContract: boolean): void {
  takeAddress(cursor);
  if (isContract) cursor.passContractName();
}

/** Reads prefix byte 0x05 or 0x06 and the principal after it. */
export function readPrincipal(cursor: Cursor): string {
  const prefix = cursor.u8();
  if (prefix !== 0x05 && prefix !== 0x06) cursor.fail('invalid_prefix', `principal type ${prefix}`, cursor.offset - 1);
  return readPrincipalBody(cursor, prefix === 0x06);
}

function addressText(version: number, bytes: Buffer, start: number, end: number): string {
  const key = String.fromCharCode(version) + bytes.toString('latin1', start, end);
  const known = addressTexts.get(key);
  if (known !== undefined) return known;
  const text = c32checkEncode(version, bytes.subarray(start, end));
  addressTexts.set(key, text);
  return text;
}
