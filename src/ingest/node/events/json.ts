import { fail, ok, type Result } from '../../../base/lib/result.ts';

/** Why a body of the node was refused. `message` names the field, `hint` advises the operator. */
export interface EventError {
  readonly code: EventErrorCode;
  readonly message: string;
  readonly hint: string;
}

type EventErrorCode =
  | 'body_empty'
  | 'body_too_large'
  | 'body_too_deep'
  | 'body_not_json'
  | 'field_invalid'
  | 'wrong_network';

const hints: Readonly<Record<EventErrorCode, string>> = {
  body_empty: 'Send the JSON body of the event.',
  body_too_large: 'Raise the body limit if the node really sends blocks of this size.',
  body_too_deep: 'No node sends bodies nested like this; check what posts to the event port.',
  body_not_json: 'The body was cut off or is not what a Stacks node sends.',
  wrong_network: 'Connect a node of the network that the index holds.',
  field_invalid: 'Check that the version of the node is supported and that nothing rewrites its bodies.',
};

/** @param hint in place of the one that all errors of this code have */
export function eventError(code: EventErrorCode, message: string, hint = hints[code]): EventError {
  return { code, message, hint };
}

/** Limits on a body before it is parsed. */
export interface EventLimits {
  /** Largest body, in bytes. Stays below the longest string of the JavaScript engine (about 536 million characters). */
  readonly maxBodyBytes: number;
  /** Deepest nesting of JSON arrays and objects. Real bodies stay below 30, except for interfaces of nested types. */
  readonly maxNesting: number;
}

/** The genesis block of mainnet is about 80 MB (docs/spec/ingestion.md#delivery). */
export const defaultEventLimits: EventLimits = { maxBodyBytes: 500_000_000, maxNesting: 512 };

const quote = 0x22;
const backslash = 0x5c;

/**
 * Parses bytes to a JSON value. Broken UTF-8 inside strings becomes U+FFFD. Deep nesting is refused before the parser runs, so the cost
 * is linear in the number of bytes.
 */
export function parseJson(body: Uint8Array, limits: EventLimits): Result<unknown, EventError> {
  if (body.length === 0) return fail(eventError('body_empty', 'body is empty'));
  if (body.length > limits.maxBodyBytes) {
    return fail(eventError('body_too_large', `body has ${body.length} bytes, the limit is ${limits.maxBodyBytes}`));
  }
  if (isNestedDeeperThan(limits.maxNesting, body)) {
    return fail(eventError('body_too_deep', `body is nested deeper than ${limits.maxNesting} levels`));
  }
  try {
    return ok(JSON.parse(text(body)));
  } catch (error) {
    return fail(eventError('body_not_json', `body is not JSON: ${(error as Error).message}`));
  }
}

/**
 * Parses again, with every integer that a double cannot hold exactly as a bigint.
 * Several times slower than parseJson, so it is kept for the few bodies that need it. Takes only what parseJson accepted.
 */
export function parseJsonExactly(body: Uint8Array): unknown {
  return JSON.parse(text(body), exactInteger);
}

/** No integer of the chain has more digits than 2^128 - 1; longer ones stay doubles and fail validation, at no cost. */
const exactIntegerText = /^-?\d{1,39}$/;

function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return exactIntegerText.test(source) ? BigInt(source) : value;
}

function text(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/** One pass over the bytes; brackets inside strings do not count. For invalid JSON the result means nothing; the parser refuses it later. */
export function isNestedDeeperThan(limit: number, body: Uint8Array): boolean {
  let depth = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === quote) {
      i++;
      while (i < body.length && body[i] !== quote) i += body[i] === backslash ? 2 : 1;
    } else if (byte === 0x5b || byte === 0x7b) {
      if (++depth > limit) return true;
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    }
  }
  return false;
}
