import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/** The member that identifies an event of this path, whatever other members a program writes. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ['/new_block', 'index_block_hash'],
  ['/new_burn_block', 'burn_block_hash'],
]);

/** Finds the payload of an entry in an archive, even if another program has written it. */
interface PayloadIdentity {
  /** 16 bytes, from the hash of a block or burn block, or from the canonical JSON of any other event. */
  readonly digest: Uint8Array;
  /** The hash of a block or burn block, 0x-prefixed and lower case. */
  readonly hash: string | undefined;
}

/** The identity of a payload; undefined of one that is no event. */
export function payloadIdentity(path: string, body: Uint8Array): PayloadIdentity | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  try {
    const member = HASHES.get(path);
    if (member === undefined) return { digest: digestOf(path, canonicalJson(text)), hash: undefined };
    const hash = hashIn(JSON.parse(text), member);
    return hash === undefined ? undefined : { digest: digestOf(path, hash), hash };
  } catch (error) {
    // No JSON, or nested too deeply.
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function hashIn(event: unknown, member: string): string | undefined {
  const hash: unknown = Object(event)[member];
  return typeof hash === 'string' && /^0x[0-9a-fA-F]{64}$/.test(hash) ? hash.toLowerCase() : undefined;
}

const digestOf = (path: string, identity: string): Uint8Array =>
  createHash('sha256').update(`${path}\n${identity}`).digest().subarray(0, 16);
