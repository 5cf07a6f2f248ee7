import JSON5 from 'json5';
import { isJsonObject } from '../../base/lib/json.ts';
import { fail, ok, type Result } from '../../base/lib/result.ts';
import { type MetadataError, metadataError } from '../errors.ts';
import type { MetadataLimits } from '../limits.ts';
import { Cleaner } from './clean.ts';
import type { MetadataAttribute, MetadataDocument, MetadataLocalization } from './document.ts';
import { scanJson } from './scan.ts';

export interface ParseOptions {
  readonly limits: MetadataLimits;
  /** Decimal token number, which replaces `{id}` in strings of the document (SIP-016). Without it `{id}` stays. */
  readonly id?: string;
  /** False for the document of a locale, which may leave out members of the default. */
  readonly nameRequired: boolean;
}

/** Keys of the picture; the first one with a value is used. */
const IMAGE_KEYS = ['image', 'imageUrl', 'image_url', 'image_uri', 'image_canonical_uri'];
const LONGEST_LOCALE = 64;

/**
 * Reads a metadata document: strict JSON, or JSON5 if it is small. Leaves out unusable elements; only a document that is not
 * a JSON object, or lacks a required name, is an error (105; 101 above the byte limit).
 */
export function parseDocument(bytes: Uint8Array, options: ParseOptions): Result<MetadataDocument, MetadataError> {
  const { limits, id, nameRequired } = options;
  if (bytes.length > limits.documentBytes)
    return fail(metadataError('document', 'tooLarge', 'permanent', `document of ${bytes.length} bytes`));
  const source = readJson(bytes, limits);
  if (!source.ok) return unparsable(source.error);
  if (!isJsonObject(source.value)) return unparsable('not a JSON object');
  const fields = new Map<string, unknown>(Object.entries(source.value));
  if (nameRequired && !fields.has('name')) return unparsable('no name');
  return ok(documentOf(fields, new Cleaner(limits, id), limits));
}

const unparsable = (message: string): Result<never, MetadataError> =>
  fail(metadataError('document', 'unparsable', 'permanent', message));

function readJson(bytes: Uint8Array, limits: MetadataLimits): Result<unknown, string> {
  const text = new TextDecoder().decode(bytes);
  const { depth, nodes } = scanJson(text, limits.depth);
  if (depth > limits.depth) return fail(`nested deeper than ${limits.depth} levels`);
  if (nodes > limits.nodes) return fail(`more than ${limits.nodes} values`);
  try {
    return ok(JSON.parse(text));
  } catch {
    if (bytes.length > limits.json5Bytes) return fail('not JSON');
  }
  try {
    return ok(JSON5.parse(text));
  } catch {
    return fail('neither JSON nor JSON5');
  }
}

function documentOf(fields: ReadonlyMap<string, unknown>, clean: Cleaner, limits: MetadataLimits): MetadataDocument {
  const attributes = attributesOf(fields.get('attributes'), clean, limits);
  const properties = fields.get('properties');
  const localization = localizationOf(fields.get('localization'), clean, limits);
  return {
    name: clean.text(fields.get('name')) ?? '',
    description: clean.text(fields.get('description')) ?? '',
    image: imageOf(fields, clean, limits),
    ...(attributes && { attributes }),
    ...(isJsonObject(properties) && { properties: clean.object(properties, limits.properties) }),
    ...(localization && { localization }),
  };
}

function imageOf(fields: ReadonlyMap<string, unknown>, clean: Cleaner, limits: MetadataLimits): string {
  for (const key of IMAGE_KEYS) {
    // Keeps one character more than allowed, to detect a URI that is too long: a cut URI is not used.
    const uri = clean.text(fields.get(key), limits.imageUriLength + 1);
    if (uri && uri.length <= limits.imageUriLength) return uri;
  }
  return '';
}

/** Leaves out entries without a usable trait type or without a value, not the whole list. */
function attributesOf(list: unknown, clean: Cleaner, limits: MetadataLimits): MetadataAttribute[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const attributes: MetadataAttribute[] = [];
  for (const entry of list) {
    if (attributes.length === limits.attributes) break;
    if (!isJsonObject(entry)) continue;
    const fields = new Map<string, unknown>(Object.entries(entry));
    const traitType = clean.text(fields.get('trait_type'));
    if (!traitType || !fields.has('value')) continue;
    attributes.push({
      trait_type: traitType,
      value: clean.value(fields.get('value')),
      display_type: clean.text(fields.get('display_type')) ?? '',
    });
  }
  return attributes;
}

/** Undefined without a URI, a default and a list of locales. */
function localizationOf(value: unknown, clean: Cleaner, limits: MetadataLimits): MetadataLocalization | undefined {
  if (!isJsonObject(value)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [uri, fallback, list] = [fields.get('uri'), fields.get('default'), fields.get('locales')];
  if (typeof uri !== 'string' || !uri || !isLocale(fallback) || !Array.isArray(list)) return undefined;
  const locales = new Set(list.filter(isLocale).map(locale => clean.text(locale) ?? ''));
  return {
    uri: clean.text(uri) ?? '',
    default: clean.text(fallback) ?? '',
    locales: [...locales].slice(0, limits.locales),
  };
}

const isLocale = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_LOCALE;
