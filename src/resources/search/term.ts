import { parsePrincipal } from '../../codec/index.ts';
import { normalHash } from '../../http/params.ts';

/** What a text can stand for. Principals are looked up as they were written. */
export type Term =
  | { readonly kind: 'hash' /** 0x, lower case. */; readonly hash: string }
  | { readonly kind: 'contract'; readonly id: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'invalid' };

const HASH = /^(0x)?[0-9a-f]{64}$/i;

/**
 * Classifies a text without white space around it (docs/spec/search.md#terms): 64 hex digits are a hash, then
 * whatever passes for a principal is one. Heights, Bitcoin addresses and names are nothing.
 */
export function readTerm(text: string): Term {
  if (HASH.test(text)) return { kind: 'hash', hash: normalHash(text) };
  const principal = parsePrincipal(text);
  if (principal === undefined) return { kind: 'invalid' };
  return principal.contractName === null ? { kind: 'address', address: text } : { kind: 'contract', id: text };
}
