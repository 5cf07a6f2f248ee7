import type { JsonObject, JsonValue } from '../../base/lib/json.ts';

export interface MetadataAttribute {
  readonly trait_type: string;
  /** Any value, null included, as it was written. */
  readonly value: JsonValue;
  /** Empty if the document has none. */
  readonly display_type: string;
}

/** The other languages of a document (SIP-016). */
export interface MetadataLocalization {
  /** The URI with the placeholder `{locale}`. */
  readonly uri: string;
  /** The locale of the document that has this list. */
  readonly default: string;
  /** Without repeats, at most `limits.locales`; may include the default. */
  readonly locales: readonly string[];
}

/** A metadata document as this program keeps it: plain JSON, bounded by the limits, without NUL and lone surrogates. */
export interface MetadataDocument {
  /** Empty if the document has no name: then there is no metadata to serve, only the token URI. */
  readonly name: string;
  /** Empty if the document has no description; likewise `image`. */
  readonly description: string;
  /** As written: may be any text, `javascript:` included. */
  readonly image: string;
  /** Absent when the document has no such list. */
  readonly attributes?: readonly MetadataAttribute[];
  /** Absent when the document has none. */
  readonly properties?: JsonObject;
  readonly localization?: MetadataLocalization;
}

/** The stored text of a document: JSON of everything but the name, which has a column of its own. */
export function storedText({ name: _, ...rest }: MetadataDocument): string {
  return JSON.stringify(rest);
}

/** The document of a stored name and text. The text must come from `storedText`. */
export function fromStoredText(name: string, text: string): MetadataDocument {
  return { name, ...(JSON.parse(text) as Omit<MetadataDocument, 'name'>) };
}

/** A deep copy of the value. */
function copyJson<T extends JsonValue>(value: T): T;
function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(item => copyJson(item));
  const copy: Record<string, JsonValue> = Object.create(null);
  for (const [key, item] of Object.entries(value)) copy[key] = copyJson(item);
  return copy;
}

const isList = (value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] => Array.isArray(value);

/** The locales to fetch beside the default one, each once. Empty when the document declares none. */
export function localesToFetch({ localization }: MetadataDocument): readonly string[] {
  return localization?.locales.filter(locale => locale !== localization.default) ?? [];
}

/**
 * The document of a locale: it has the values of the locale, and the default's values for the rest. Properties are merged by
 * key, attributes replaced as a list. The result shares no objects with its sources, so one locale can never change another.
 */
export function mergeLocalized(base: MetadataDocument, localized: MetadataDocument): MetadataDocument {
  const attributes = localized.attributes ?? base.attributes;
  const properties = mergeProperties(base.properties, localized.properties);
  return {
    name: localized.name || base.name,
    description: localized.description || base.description,
    image: localized.image || base.image,
    ...(attributes && { attributes: attributes.map(item => ({ ...item, value: copyJson(item.value) })) }),
    ...(properties && { properties }),
    ...(base.localization && {
      localization: { ...base.localization, locales: [...base.localization.locales] },
    }),
  };
}

function mergeProperties(base: JsonObject | undefined, localized: JsonObject | undefined): JsonObject | undefined {
  if (!base && !localized) return undefined;
  const merged: Record<string, JsonValue> = Object.create(null);
  for (const [key, value] of Object.entries({ ...base, ...localized })) merged[key] = copyJson(value);
  return merged;
}
