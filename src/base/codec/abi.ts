import { isJsonObject } from '../lib/json.ts';

/** A type in the interface of a contract, as nodes describe it. */
export type AbiType =
  | 'int128'
  | 'uint128'
  | 'bool'
  | 'principal'
  | 'none'
  | 'trait_reference'
  | { readonly buffer: { readonly length: number } }
  | { readonly 'string-ascii': { readonly length: number } }
  | { readonly 'string-utf8': { readonly length: number } }
  | { readonly optional: AbiType }
  | { readonly response: { readonly ok: AbiType; readonly error: AbiType } }
  | { readonly tuple: readonly { readonly name: string; readonly type: AbiType }[] }
  | { readonly list: { readonly type: AbiType; readonly length: number } };

export interface AbiFunction {
  readonly name: string;
  readonly access: 'public' | 'read_only' | 'private';
  readonly args: readonly { readonly name: string; readonly type: AbiType }[];
}

const ATOMS = new Map([
  ['int128', 'int'],
  ['uint128', 'uint'],
  ['bool', 'bool'],
  ['principal', 'principal'],
  ['none', 'none'],
  ['trait_reference', 'trait_reference'],
]);

const DEFINITIONS = new Map([
  ['public', 'define-public'],
  ['read_only', 'define-read-only'],
  ['private', 'define-private'],
]);

const MAX_TYPE_DEPTH = 64;

/**
 * The text of an ABI type (docs/spec/codec.md#interface-types); undefined when it is malformed. Interfaces are JSON from
 * outside: unknown.
 */
export function abiTypeText(type: unknown): string | undefined {
  return typeText(type, 1);
}

/** `(define-public (name (arg type) ...))` of an ABI function (docs/spec/codec.md#interface-types); '' when it is malformed. */
export function functionSignature(fn: unknown): string {
  if (!isJsonObject(fn) || typeof fn.name !== 'string') return '';
  const definition = typeof fn.access === 'string' ? DEFINITIONS.get(fn.access) : undefined;
  const args = namedTypes(fn.args, 1);
  if (definition === undefined || args === undefined) return '';
  return `(${definition} (${fn.name} ${args}))`;
}

/** The well-formed function of that name in the parsed JSON of a contract interface; undefined without such a function. */
export function findFunction(json: unknown, name: string): AbiFunction | undefined {
  if (!isJsonObject(json) || !Array.isArray(json.functions)) return undefined;
  return json.functions.find(fn => isJsonObject(fn) && fn.name === name && functionSignature(fn) !== '');
}

function typeText(type: unknown, level: number): string | undefined {
  if (level > MAX_TYPE_DEPTH) return undefined;
  if (typeof type === 'string') return ATOMS.get(type);
  if (!isJsonObject(type)) return undefined;
  if ('buffer' in type) return sized('buff', type.buffer);
  if ('string-ascii' in type) return sized('string-ascii', type['string-ascii']);
  if ('string-utf8' in type) return sized('string-utf8', type['string-utf8']);
  if ('optional' in type) return wrapped('optional', [typeText(type.optional, level + 1)]);
  if ('response' in type) return responseText(type.response, level);
  if ('tuple' in type) return wrapped('tuple', [namedTypes(type.tuple, level)]);
  if ('list' in type) return listText(type.list, level);
  return undefined;
}

function sized(name: string, size: unknown): string | undefined {
  return isJsonObject(size) && isLength(size.length) ? `(${name} ${size.length})` : undefined;
}

function responseText(response: unknown, level: number): string | undefined {
  if (!isJsonObject(response)) return undefined;
  return wrapped('response', [typeText(response.ok, level + 1), typeText(response.error, level + 1)]);
}

function listText(list: unknown, level: number): string | undefined {
  if (!isJsonObject(list) || !isLength(list.length)) return undefined;
  return wrapped(`list ${list.length}`, [typeText(list.type, level + 1)]);
}

/** `(a int) (b uint)`, for tuples and function arguments; undefined as soon as one of them is malformed. */
function namedTypes(entries: unknown, level: number): string | undefined {
  if (!Array.isArray(entries)) return undefined;
  const texts: string[] = [];
  for (const entry of entries) {
    const type = isJsonObject(entry) && typeof entry.name === 'string' ? typeText(entry.type, level + 1) : undefined;
    if (type === undefined) return undefined;
    texts.push(`(${entry.name} ${type})`);
  }
  return texts.join(' ');
}

function wrapped(name: string, parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : `(${name} ${parts.join(' ')})`;
}

function isLength(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
