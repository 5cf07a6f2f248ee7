import { isStorable } from '../../http/validation.ts';
import { isObject, type JsonObject, reduceFunction } from './function-shape.ts';

/** The types of Clarity nest up to 32 levels, which are about 100 levels of JSON. */
const MAX_NESTING = 200;
const MAX_CHARACTERS = 64 * 1024;

/** A function that a contract must have, reduced to what is compared (see reduceFunction). */
export type TraitFunction = JsonObject;

/**
 * The functions of a trait, each once; undefined where the text is not the JSON of a trait. Never throws, and costs a
 * bounded time whatever the text.
 */
export function readTrait(text: string): readonly TraitFunction[] | undefined {
  if (text.length > MAX_CHARACTERS || !isStorable(text) || nestingOf(text) > MAX_NESTING) return undefined;
  const trait = parse(text);
  if (!isObject(trait) || !Array.isArray(trait.functions)) return undefined;
  const functions = new Map<string, TraitFunction>();
  for (const fn of trait.functions) {
    if (!isTraitFunction(fn)) return undefined;
    const reduced = reduceFunction(fn);
    const json = JSON.stringify(reduced);
    // An escape in the JSON can hold what its text does not.
    if (!isStorable(fn.name)) return undefined;
    functions.set(json, reduced);
  }
  return [...functions.values()];
}

const isTraitFunction = (fn: unknown): fn is JsonObject =>
  isObject(fn) && Array.isArray(fn.args) && fn.args.every(isObject);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How deep brackets nest; those inside strings do not count. One pass, so that hostile nesting never reaches the parser. */
function nestingOf(text: string): number {
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

/**
 * Whether JSON contains other JSON: an object has all members, each containing that of the other; every element of a
 * list is contained in some element, whatever their order and number; anything else is equal.
 * @param step called for every pair that is compared; it may throw to end what takes too long
 */
export function contains(json: unknown, part: unknown, step: () => void): boolean {
  step();
  if (Array.isArray(part)) {
    return Array.isArray(json) && part.every(element => json.some(own => contains(own, element, step)));
  }
  if (!isObject(part)) return json === part;
  if (!isObject(json)) return false;
  return Object.entries(part).every(([key, value]) => Object.hasOwn(json, key) && contains(json[key], value, step));
}
