import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_METADATA_LIMITS } from '../limits.ts';
import { fromStoredText, localesToFetch, type MetadataDocument, mergeLocalized, storedText } from './document.ts';
import { parseDocument } from './parse.ts';

function document(fields: object, nameRequired = false): MetadataDocument {
  const result = parseDocument(Buffer.from(JSON.stringify(fields)), { limits: DEFAULT_METADATA_LIMITS, nameRequired });
  assert.ok(result.ok);
  return result.value;
}

const BASE = document({
  name: 'A',
  description: 'D',
  image: 'I',
  attributes: [{ trait_type: 'x', value: 1 }],
  properties: { a: 'en-a', b: 'en-b', deep: { list: [1] } },
  localization: { uri: 'https://h/{locale}', default: 'en', locales: ['en', 'es', 'de'] },
});
const ES = document({ name: 'ES', properties: { a: 'es-a', c: 'es-c' } });
const DE = document({ name: 'DE', attributes: [{ trait_type: 'y', value: 2 }] });

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

test('a locale replaces what it has, merges properties by key and keeps the rest', () => {
  assert.deepEqual(plain(mergeLocalized(BASE, ES)), {
    name: 'ES',
    description: 'D',
    image: 'I',
    attributes: [{ trait_type: 'x', value: 1, display_type: '' }],
    properties: { a: 'es-a', b: 'en-b', deep: { list: [1] }, c: 'es-c' },
    localization: { uri: 'https://h/{locale}', default: 'en', locales: ['en', 'es', 'de'] },
  });
});

test('attributes are replaced as a list; another locale merged before leaves no trace', () => {
  mergeLocalized(BASE, ES);
  const merged = plain(mergeLocalized(BASE, DE));
  assert.deepEqual(merged.attributes, [{ trait_type: 'y', value: 2, display_type: '' }]);
  assert.deepEqual(merged.properties, { a: 'en-a', b: 'en-b', deep: { list: [1] } });
});

test('a locale without a name has that of the default', () => {
  assert.equal(mergeLocalized(BASE, document({ description: 'X' })).name, 'A');
});

/** The objects and lists in a value, itself among them. */
function objectsIn(value: unknown): object[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

test('the result shares nothing with what it was made of', () => {
  const before = JSON.stringify([BASE, ES]);
  const merged = mergeLocalized(BASE, ES);
  const seen = new Set(objectsIn([BASE, ES]));
  assert.deepEqual(
    objectsIn(merged).filter(item => seen.has(item)),
    [],
  );
  assert.equal(JSON.stringify([BASE, ES]), before);
});

test('a stored document can be merged as well', () => {
  const stored = fromStoredText(BASE.name, storedText(BASE));
  assert.deepEqual(plain(mergeLocalized(stored, ES)), plain(mergeLocalized(BASE, ES)));
});

test('what neither has stays absent', () => {
  const merged = mergeLocalized(document({ name: 'A' }), document({ name: 'B' }));
  assert.deepEqual(Object.keys(merged), ['name', 'description', 'image']);
});

test('the default locale is not fetched again', () => {
  assert.deepEqual(localesToFetch(BASE), ['es', 'de']);
  assert.deepEqual(localesToFetch(ES), []);
});
