import { isJsonObject, type JsonObject, type JsonValue } from '../../base/lib/json.ts';
import type { MetadataLimits } from '../limits.ts';

/** Most characters that replacing `{id}` may add to a document; then it is no longer replaced. */
const LONGEST_GROWTH = 64 * 1024;

/** Brings values of one parsed document into their stored form. */
export class Cleaner {
  readonly #limits: MetadataLimits;
  readonly #id: string | undefined;
  #growth = LONGEST_GROWTH;

  constructor(limits: MetadataLimits, id: string | undefined) {
    this.#limits = limits;
    this.#id = id;
  }

  /** Text of a string, a number or a boolean; undefined for other values. */
  text(value: unknown, longest = this.#limits.stringLength): string | undefined {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    return typeof value === 'string' ? cut(storable(this.#withId(value)), longest) : undefined;
  }

  /** Converts any value of a JSON or JSON5 parser. Values that JSON lacks (NaN, Infinity) become null. */
  value(value: unknown): JsonValue {
    if (typeof value === 'string') return this.text(value) ?? '';
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    if (typeof value === 'boolean') return value;
    if (Array.isArray(value)) return value.map(item => this.value(item));
    return isJsonObject(value) ? this.object(value, Number.POSITIVE_INFINITY) : null;
  }

  /** The first entries of an object, without keys that are dangerous for the code that reads it. */
  object(source: object, most: number): JsonObject {
    const result: Record<string, JsonValue> = Object.create(null);
    let entries = 0;
    for (const [name, value] of Object.entries(source)) {
      if (entries === most) break;
      const key = cut(storable(name), this.#limits.stringLength);
      if (key === '__proto__') continue;
      if (!(key in result)) entries++;
      result[key] = this.value(value);
    }
    return result;
  }

  #withId(text: string): string {
    const id = this.#id;
    if (id === undefined || !text.includes('{')) return text;
    const replaced = text.replace(/\{id\}/gi, id);
    const growth = replaced.length - text.length;
    if (growth > this.#growth) return text;
    this.#growth -= Math.max(0, growth);
    return replaced;
  }
}

/** Databases take neither NUL nor an unpaired surrogate: U+FFFD replaces both. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** The beginning of a text, cut between characters. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest);
  return head.isWellFormed() ? head : head.slice(0, -1);
}
