import { isJsonObject, type JsonValue } from '../../base/lib/json.ts';

/** The values of both sides at one place; undefined if a side has none. */
export interface Difference {
  /** The place, such as `results[3].tx_fee`; empty for the whole body. */
  readonly at: string;
  readonly ours: JsonValue | undefined;
  readonly theirs: JsonValue | undefined;
}

/** Every place where two values are not equal. The order of fields does not count. */
export function differencesOf(ours: JsonValue | undefined, theirs: JsonValue | undefined, at = ''): Difference[] {
  if (ours === theirs) return [];
  if (isList(ours) && isList(theirs))
    return Array.from({ length: Math.max(ours.length, theirs.length) }, (_, i) =>
      differencesOf(ours[i], theirs[i], `${at}[${i}]`),
    ).flat();
  if (isJsonObject(ours) && isJsonObject(theirs))
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap(field =>
      differencesOf(ours[field], theirs[field], at === '' ? field : `${at}.${field}`),
    );
  return [{ at, ours, theirs }];
}

export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
