import { isJsonObject, type JsonObject } from '../../../base/lib/json.ts';
import { isStorable } from '../../../base/store/values.ts';
import {
  isTraitFunction,
  MAX_CHARACTERS,
  MAX_NESTING,
  nestingOf,
  parse,
  reduceFunction,
} from '../../../index/contracts/trait.ts';

/** A function that a contract must have, reduced to the compared parts (see reduceFunction). */
export type TraitFunction = JsonObject;

/**
 * The functions of a trait, each once; undefined where the text is not the JSON of a trait. Never throws, and costs a
 * bounded time whatever the text.
 */
export function readTrait(text: string): readonly TraitFunction[] | undefined {
  if (text.length > MAX_CHARACTERS || !isStorable(text) || nestingOf(text) > MAX_NESTING) return undefined;
  const trait = parse(text);
  if (!isJsonObject(trait) || !Array.isArray(trait.functions)) return undefined;
  const functions = new Map<string, TraitFunction>();
  for (const fn of trait.functions) {
    if (!isTraitFunction(fn)) return undefined;
    const reduced = reduceFunction(fn);
    const json = JSON.stringify(reduced);
    // An escape in the JSON can hide a character that the text does not have.
    if (!isStorable(fn.name)) return undefined;
    functions.set(json, reduced);
  }
  return [...functions.values()];
}
