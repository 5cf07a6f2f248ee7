import { fail, ok, type Result } from '../../base/lib/result.ts';

/** A part of the node that is not for clients. */
export interface DenyRule {
  /** Undefined: any method. */
  readonly method: string | undefined;
  /** Matches a normalised path. */
  readonly path: RegExp;
}

/** Denied by default: messages between nodes, and requests that only a miner or signer posts. */
export const DEFAULT_DENIED: readonly string[] = [
  '/v2/blocks/upload',
  '/v3/blocks/upload',
  '/v3/block_proposal',
  '/v2/mempool/query',
  'POST /v2/microblocks',
  'POST /v2/stackerdb/*/chunks',
];

/** Reads `[METHOD ]/path`; `*` in the path matches any text. */
export function parseDenyRule(text: string): Result<DenyRule, string> {
  const [, method, path] = /^(?:([A-Z]+) +)?(\/v[23]\/\S*)$/.exec(text) ?? [];
  if (path === undefined) return fail('paths such as /v2/pox or POST /v2/microblocks; * stands for any text');
  const pattern = path.split('*').map(part => part.replace(/[^\w/]/g, '\\$&'));
  return ok({ method, path: new RegExp(`^${pattern.join('.*')}$`, 'is') });
}

/** @throws Error for a text that is no rule */
export function denyRules(texts: readonly string[]): DenyRule[] {
  return texts.map(text => {
    const rule = parseDenyRule(text);
    if (!rule.ok) throw new Error(`${text} is no rule: ${rule.error}`);
    return rule.value;
  });
}

/** Dot segments, which some servers resolve and others do not; no client needs them. */
const DOT_SEGMENT = /[\\/]\.{1,2}([\\/]|$)/;

/** Encoding that remains after decoding is for a server that decodes twice; no client needs it. */
const ENCODED_TWICE = /%[0-9a-f]{2}/i;

/**
 * Whether a request must not reach the node. Compares the path as the node may read it: decoded, without doubled slashes, in any letter
 * case. Denies every path with dot segments, or one that is encoded twice.
 * @param path without the query
 */
export function isDenied(rules: readonly DenyRule[], method: string, path: string): boolean {
  const decoded = decode(path);
  if (decoded === undefined || DOT_SEGMENT.test(decoded) || ENCODED_TWICE.test(decoded)) return true;
  const normal = decoded.replace(/[\\/]+/g, '/').replace(/(?<=.)\/$/, '');
  return rules.some(rule => (rule.method === undefined || rule.method === method) && rule.path.test(normal));
}

/** Undefined for bytes that are not text. */
function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
