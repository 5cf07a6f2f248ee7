import { copyJson, type JsonObject, type JsonValue, type MetadataDocument } from './document.ts';

/** The locales to fetch beside the default one, each once. Empty when the document declares none. */
export function localesToFetch({ localization }: MetadataDocument): readonly string[] {
  return localization?.locales.filter(locale => locale !== localization.default) ?? [];
}

/**
 * The document of a locale (token-metadata.md 2.7): what it says counts, the default fills in the rest. Properties are merged by
 * key, attributes replaced as a list. The result shares nothing with either, so one locale can never change another.
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
