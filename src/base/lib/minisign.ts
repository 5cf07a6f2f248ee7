import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fail, ok, type Result } from './result.ts';

/*
 * Signatures of minisign (https://jedisct1.github.io/minisign/). A key is base64 of `Ed`, an id of 8 bytes and an Ed25519 key. A signature is four lines: a
 * comment; base64 of the algorithm (`ED`: of the BLAKE2b-512 of the file, `Ed`: of the file itself), the id of the key and the signature; the trusted
 * comment; base64 of the signature of the signature and that comment.
 */

const KEY_BYTES = 42;
const SIGNATURE_BYTES = 74;
const TRUSTED = 'trusted comment: ';

/** A public key. */
export interface MinisignKey {
  /** As minisign prints it. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Reads the second line of a `.pub` file of minisign; undefined for anything else. */
export function parseMinisignKey(text: string): MinisignKey | undefined {
  const bytes = base64(text, KEY_BYTES);
  if (bytes === undefined || bytes.toString('latin1', 0, 2) !== 'Ed') return undefined;
  const x = bytes.subarray(10).toString('base64url');
  return { id: idOf(bytes), key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

/**
 * Checks the signature of a file, its trusted comment included.
 * @returns the trusted comment; an error is a clause about the signature, for a message
 */
export function verifyMinisign(file: Uint8Array, signature: string, { id, key }: MinisignKey): Result<string, string> {
  const [, first = '', comment = '', last = ''] = signature.split(/\r?\n/);
  const bytes = base64(first, SIGNATURE_BYTES);
  const ofComment = base64(last, 64);
  if (bytes === undefined || ofComment === undefined || !comment.startsWith(TRUSTED))
    return fail('is no signature of minisign');
  const algorithm = bytes.toString('latin1', 0, 2);
  if (algorithm !== 'ED' && algorithm !== 'Ed') return fail('has an algorithm that is not known');
  if (idOf(bytes) !== id) return fail(`was made with the key ${idOf(bytes)}, not with ${id}`);
  const own = bytes.subarray(10);
  const signed = algorithm === 'ED' ? createHash('blake2b512').update(file).digest() : file;
  if (!verify(null, signed, key, own)) return fail('is not that of this file');
  const trusted = comment.slice(TRUSTED.length);
  if (!verify(null, Buffer.concat([own, Buffer.from(trusted)]), key, ofComment))
    return fail('has a comment that is not the one that was signed');
  return ok(trusted);
}

/** Undefined unless it is base64 of so many bytes. */
function base64(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined;
}

/** Eight bytes, the last one first. */
const idOf = (bytes: Buffer): string => Buffer.from(bytes.subarray(2, 10)).reverse().toString('hex').toUpperCase();
