import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/lib/json.ts';
import { interfaceText } from './deployment.ts';

/** The types of Clarity nest up to 32 levels, which are about 100 levels of JSON. */
export const MAX_NESTING = 200;
export const MAX_CHARACTERS = 64 * 1024;

export const isTraitFunction = (fn: unknown): fn is JsonObject =>
  isJsonObject(fn) && Array.isArray(fn.args) && fn.args.every(isJsonObject);

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Depth of nested brackets, without those inside strings. Takes one pass, so that hostile nesting never reaches the parser. */
export function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') {
      i++;
      while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
    } else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

/** A function of a contract, as traits see it. Functions of many contracts have the same shape. */
export interface FunctionShape {
  readonly name: string;
  /** SHAPE_KEY_BYTES: four bytes for the name, then a hash of `json`. */
  readonly key: Uint8Array;
  /** The reduced function as JSON text. */
  readonly json: string;
}

export const SHAPE_KEY_BYTES = 20;

/** First bytes of the keys of all functions of this name, and perhaps of a few others. */
export const keyOfName = (name: string): Uint8Array => sha256(name).subarray(0, 4);

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

function shapeOf(name: string, fn: JsonObject): FunctionShape {
  const json = interfaceText(reduceFunction(fn));
  return { name, key: Buffer.concat([keyOfName(name), sha256(json)]).subarray(0, SHAPE_KEY_BYTES), json };
}

/** Keeps only the compared members: name, access, the types of the arguments, outputs. Absent members stay absent. */
export function reduceFunction(fn: JsonObject): JsonObject {
  const reduced: Record<string, JsonValue> = {};
  for (const key of ['name', 'access', 'outputs']) if (fn[key] !== undefined) reduced[key] = fn[key];
  if (Array.isArray(fn.args)) reduced.args = fn.args.map(typeOnly);
  return reduced;
}

const typeOnly = (arg: unknown): JsonObject => (isJsonObject(arg) && arg.type !== undefined ? { type: arg.type } : {});

/** Function names that can be indexed. Clarity allows fewer, so no contract has others. */
const INDEXABLE = /^[\x20-\x7e]{1,128}$/;

/**
 * The functions of a contract interface, each name once. Undefined for an interface that has no list of functions: no
 * trait matches it.
 */
export function functionShapes(contractInterface: unknown): FunctionShape[] | undefined {
  const functions = functionsOf(contractInterface);
  if (!functions) return undefined;
  const shapes = new Map<string, FunctionShape>();
  for (const fn of functions) {
    if (typeof fn.name !== 'string' || !INDEXABLE.test(fn.name) || shapes.has(fn.name)) continue;
    shapes.set(fn.name, shapeOf(fn.name, fn));
  }
  return [...shapes.values()];
}

/** The well-formed members of the list of functions; undefined without such a list. */
function functionsOf(contractInterface: unknown): JsonObject[] | undefined {
  if (!isJsonObject(contractInterface) || !Array.isArray(contractInterface.functions)) return undefined;
  return contractInterface.functions.filter(isJsonObject);
}
