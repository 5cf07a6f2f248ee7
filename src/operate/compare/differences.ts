/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [field: string]: Json };

/** What one side has where the other has something else; undefined where it has nothing. */
export interface Difference {
  /** Where, such as `results[3].tx_fee`; empty for the whole. */
  readonly at: string;
  readonly ours: Json | undefined;
  readonly theirs: Json | undefined;
}

/** Every place where two values are not equal. The order of fields does not count. */
export function differencesOf(ours: Json | undefined, theirs: Json | undefined, at = ''): Difference[] {
  if (ours === theirs) return [];
  if (isList(ours) && isList(theirs))
    return Array.from({ length: Math.max(ours.length, theirs.length) }, (_, i) =>
      differencesOf(ours[i], theirs[i], `${at}[${i}]`),
    ).flat();
  if (isObject(ours) && isObject(theirs))
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap(field =>
      differencesOf(ours[field], theirs[field], at === '' ? field : `${at}.${field}`),
    );
  return [{ at, ours, theirs }];
}

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
