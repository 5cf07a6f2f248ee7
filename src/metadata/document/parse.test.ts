import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc, { anyText } from '../../../test/support/fast-check.ts';
import { scale } from '../../../test/support/scale.ts';
import type { JsonValue } from '../../base/lib/json.ts';
import type { MetadataError } from '../errors.ts';
import { DEFAULT_METADATA_LIMITS, type MetadataLimits } from '../limits.ts';
import { fromStoredText, type MetadataDocument, storedText } from './document.ts';
import { type ParseOptions, parseDocument } from './parse.ts';

type Changes = Partial<Omit<ParseOptions, 'limits'>> & { readonly limits?: Partial<MetadataLimits> };

function parse(source: string | Uint8Array, { limits, ...more }: Changes = {}) {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source;
  const options = { nameRequired: true, id: '7', ...more, limits: { ...DEFAULT_METADATA_LIMITS, ...limits } };
  return parseDocument(bytes, options);
}

function documentOf(source: unknown, changes?: Changes): MetadataDocument {
  const result = parse(typeof source === 'string' ? source : JSON.stringify(source), changes);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function errorOf(source: string | Uint8Array, changes?: Changes): MetadataError {
  const result = parse(source, changes);
  assert.ok(!result.ok, JSON.stringify(result));
  return result.error;
}

/** As plain JSON, the form of responses. */
const plain = (document: MetadataDocument) => JSON.parse(storedText(document));

describe('leniency of the syntax', () => {
  const NAMED_A: readonly string[] = [
    '{"name":"A"}',
    '{"name":"A",}',
    "{name:'A'}",
    '/* a */ {"name":"A"} // b',
    '\ufeff{"name":"A"}',
    '{"name":"B","name":"A"}',
    '{name:"A", n: [+1, .5, 0x10, Infinity]}',
    "{name:'A', x: '[[[[', /* [[[ */ y: \"]]\\\"[[[\" }",
    '{"name":"\\u0041"}',
  ];
  for (const source of NAMED_A) test(`${source} is read`, () => assert.equal(documentOf(source).name, 'A'));

  const REFUSED = [
    '{}',
    '[]',
    '["name"]',
    '"name"',
    'null',
    '',
    '   ',
    '7',
    '<html>',
    '{"name":"A"',
    '{"nom":"A"}',
    '\0',
  ];
  for (const source of REFUSED) test(`'${source}' is error 105`, () => assert.equal(errorOf(source).reason, 105));

  test('what JSON cannot say becomes null', () => {
    const source = '{name:"A", properties:{a:Infinity,b:NaN,c:-Infinity}}';
    assert.deepEqual(plain(documentOf(source)).properties, { a: null, b: null, c: null });
  });

  test('bytes that are no UTF-8 become U+FFFD', () => {
    const result = parse(Buffer.from('{"name":"\xff"}', 'latin1'));
    assert.equal(result.ok && result.value.name, '\ufffd');
  });
});

describe('bounds', () => {
  test('10,000 levels, and a megabyte of openings, are error 105', () => {
    assert.equal(errorOf(`{"name":"A","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`).reason, 105);
    assert.equal(errorOf('['.repeat(1_000_000)).reason, 105);
    assert.equal(errorOf('{"a":'.repeat(199_999)).reason, 105);
  });

  test('as many levels as allowed are read, one more is not', () => {
    const nested = (levels: number) => `{"name":"A","properties":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    assert.equal(documentOf(nested(30)).name, 'A');
    assert.equal(errorOf(nested(31)).reason, 105);
  });

  test('brackets in strings and comments are no levels', () => {
    const many = '['.repeat(100);
    assert.equal(documentOf({ name: 'A', description: `${many}"${many}\\` }).name, 'A');
    assert.equal(documentOf(`{name:'A', /* ${many} */ x: 1} // ${many}`).name, 'A');
  });

  test('too many values are error 105', () => {
    assert.equal(errorOf(JSON.stringify({ name: 'A', x: Array(50_000).fill(0) })).reason, 105);
  });

  test('too many bytes are error 101', () => {
    assert.equal(errorOf(`{"name":"A"}${' '.repeat(1_000_000)}`).reason, 101);
  });

  test('a large document is read when it is strict JSON, not when it is JSON5', () => {
    const rest = `"description":"${'x'.repeat(300_000)}"`;
    assert.equal(documentOf(`{"name":"A",${rest}}`).name, 'A');
    assert.equal(errorOf(`{"name":"A",${rest},}`).reason, 105);
  });

  test('attributes and properties beyond the limit are left out', () => {
    const attributes = Array.from({ length: 600 }, (_, at) => ({ trait_type: `t${at}`, value: at }));
    const properties = Object.fromEntries(attributes.map(({ trait_type, value }) => [trait_type, value]));
    const document = documentOf({ name: 'A', attributes, properties });
    assert.equal(document.attributes?.length, 500);
    assert.equal(Object.keys(document.properties ?? {}).length, 500);
  });

  test('a long string is cut, not within a character; a long image is none', () => {
    const { name, description, image } = documentOf({
      name: 'x'.repeat(70_000),
      description: `${'x'.repeat(65_535)}😀`,
      image: `data:,${'x'.repeat(270_000)}`,
    });
    assert.deepEqual([name.length, description.length, image], [65_536, 65_535, '']);
    assert.equal(documentOf({ name: 'A', image: `data:,${'x'.repeat(200_000)}` }).image.length, 200_006);
  });

  test('500 locales are capped, repeats do not count', () => {
    const locales = ['es', 'es', ...Array.from({ length: 500 }, (_, at) => `l${at}`)];
    const { localization } = documentOf({
      name: 'A',
      localization: { uri: 'https://h/{locale}', default: 'en', locales },
    });
    assert.equal(localization?.locales.length, 20);
    assert.equal(new Set(localization?.locales).size, 20);
  });
});

describe('fields', () => {
  const NAMES: readonly (readonly [value: unknown, name: string])[] = [
    [null, ''],
    ['', ''],
    [5, '5'],
    [false, 'false'],
    [{}, ''],
    [['A'], ''],
    [' A ', ' A '],
  ];
  for (const [value, name] of NAMES)
    test(`name ${JSON.stringify(value)} is '${name}'`, () => assert.equal(documentOf({ name: value }).name, name));

  test('the document of a locale needs no name', () => {
    assert.equal(documentOf({ description: 'D' }, { nameRequired: false }).name, '');
  });

  const IMAGES: readonly (readonly [fields: object, image: string])[] = [
    [{}, ''],
    [{ image: 'u0', imageUrl: 'u1' }, 'u0'],
    [{ imageUrl: 'u1', image_url: 'u2' }, 'u1'],
    [{ image: '', image_url: 'u2' }, 'u2'],
    [{ image: null, image_uri: 'u3', image_canonical_uri: 'u4' }, 'u3'],
    [{ image: { src: 'x' }, image_canonical_uri: 'u4' }, 'u4'],
    [{ image_data: '<svg/>', animation_url: 'x' }, ''],
  ];
  for (const [fields, image] of IMAGES)
    test(`image of ${JSON.stringify(fields)} is '${image}'`, () => {
      assert.equal(documentOf({ name: 'A', ...fields }).image, image);
    });

  test('every value of an attribute is kept as it is', () => {
    const values = [0, '', false, true, [1], { a: 1 }, null, 1.5, 'x', []];
    const attributes = values.map(value => ({ trait_type: 't', value, max_value: 9 }));
    const found = plain(documentOf({ name: 'A', attributes })).attributes;
    assert.deepEqual(
      found,
      values.map(value => ({ trait_type: 't', value, display_type: '' })),
    );
  });

  test('a bad attribute is left out, not the list', () => {
    const attributes = [
      { trait_type: 'a', value: 1 },
      { value: 2 },
      { trait_type: null, value: 3 },
      { trait_type: {}, value: 3 },
      { trait_type: '', value: 3 },
      { trait_type: 'no value' },
      'text',
      null,
      ['x'],
      { trait_type: 5, value: 4, display_type: null },
      { trait_type: 'b', value: 5, display_type: 'number' },
      { trait_type: 'c', value: 6, display_type: {} },
    ];
    assert.deepEqual(plain(documentOf({ name: 'A', attributes })).attributes, [
      { trait_type: 'a', value: 1, display_type: '' },
      { trait_type: '5', value: 4, display_type: '' },
      { trait_type: 'b', value: 5, display_type: 'number' },
      { trait_type: 'c', value: 6, display_type: '' },
    ]);
  });

  test('what is no list of attributes, and no object of properties, is absent', () => {
    const document = documentOf({ name: 'A', attributes: { a: 1 }, properties: [1], localization: null });
    assert.deepEqual(Object.keys(document), ['name', 'description', 'image']);
  });

  test('properties keep their values, null among them, and their order', () => {
    const properties = { z: 'ABC', a: 1, t: true, f: false, n: null, l: [1, [2]], o: { p: { q: '' } }, e: '', zero: 0 };
    const found = plain(documentOf({ name: 'A', properties })).properties;
    assert.deepEqual(found, properties);
    assert.deepEqual(Object.keys(found), Object.keys(properties));
  });

  test('NUL and half characters become U+FFFD everywhere', () => {
    const source =
      '{"name":"a\\u0000","properties":{"k\\u0000":"v\\ud800"},"attributes":[{"trait_type":"\\u0000","value":["\\udfff"]}]}';
    assert.deepEqual(plain(documentOf(source)), {
      description: '',
      image: '',
      attributes: [{ trait_type: '\ufffd', value: ['\ufffd'], display_type: '' }],
      properties: { 'k\ufffd': 'v\ufffd' },
    });
    assert.equal(documentOf(source).name, 'a\ufffd');
  });

  for (const [syntax, quote] of [['JSON', '"'] as const, ['JSON5', "'"] as const])
    test(`keys that are traps change nothing (${syntax})`, () => {
      const source =
        '{"__proto__":{"name":"X","polluted":1},"name":"A","properties":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1}}}}';
      const document = documentOf(source.replaceAll('"', quote));
      assert.equal(document.name, 'A');
      assert.equal(Object.getPrototypeOf(document.properties), null);
      assert.deepEqual(Object.keys(document.properties ?? {}), ['constructor', 'a']);
      assert.equal('polluted' in {} || 'polluted' in Object(document.properties?.a), false);
    });

  test('{id} in strings becomes the token number, in values of any depth; keys and other braces stay', () => {
    const source = {
      name: 'A #{id}',
      image: 'ipfs://x/{ID}.png',
      properties: { '{id}': ['{id}-{id}', { a: '{locale}' }] },
    };
    const document = documentOf(source);
    assert.deepEqual([document.name, document.image], ['A #7', 'ipfs://x/7.png']);
    assert.deepEqual(plain(document).properties, { '{id}': ['7-7', { a: '{locale}' }] });
    const options = { limits: DEFAULT_METADATA_LIMITS, nameRequired: true };
    const result = parseDocument(Buffer.from(JSON.stringify(source)), options);
    assert.equal(result.ok && result.value.name, 'A #{id}');
  });

  test('{id} cannot make a document much larger', () => {
    const source = { name: 'A', properties: { list: Array(1000).fill('{id}'.repeat(240)) } };
    assert.ok(storedText(documentOf(source, { id: '9'.repeat(39) })).length < 1_100_000);
  });

  const LOCALIZATIONS: readonly (readonly [value: unknown, locales: readonly string[] | undefined])[] = [
    [{ uri: 'u', default: 'en', locales: ['en', 'es'] }, ['en', 'es']],
    [{ uri: 'u', default: 'en', locales: [] }, []],
    [{ uri: 'u', default: 'en', locales: ['es', 5, null, '', 'es', 'x'.repeat(65)] }, ['es']],
    [{ uri: null, default: 'en', locales: ['es'] }, undefined],
    [{ uri: '', default: 'en', locales: ['es'] }, undefined],
    [{ uri: 'u', locales: ['es'] }, undefined],
    [{ uri: 'u', default: 'en', locales: 'es' }, undefined],
    [['u', 'en', []], undefined],
  ];
  for (const [localization, locales] of LOCALIZATIONS)
    test(`localization ${JSON.stringify(localization).slice(0, 70)} has locales ${JSON.stringify(locales)}`, () => {
      assert.deepEqual(documentOf({ name: 'A', localization }).localization?.locales, locales);
    });
});

describe('any input', () => {
  const limits = {
    documentBytes: 5000,
    stringLength: 100,
    imageUriLength: 60,
    attributes: 5,
    properties: 5,
    locales: 3,
  };

  function check(document: MetadataDocument): void {
    const bounded = (text: string, longest = limits.stringLength) => {
      assert.ok(text.isWellFormed() && !text.includes('\0') && text.length <= longest);
    };
    const walk = (value: JsonValue, depth: number): void => {
      assert.ok(depth <= DEFAULT_METADATA_LIMITS.depth);
      if (typeof value === 'string') bounded(value);
      else if (typeof value === 'number') assert.ok(Number.isFinite(value));
      else if (value !== null && typeof value === 'object') {
        if (!Array.isArray(value)) {
          assert.equal(Object.getPrototypeOf(value), null);
          for (const key of Object.keys(value)) bounded(key);
        }
        for (const item of Object.values(value)) walk(item, depth + 1);
      }
    };
    bounded(document.name);
    bounded(document.description);
    bounded(document.image, limits.imageUriLength);
    assert.ok((document.attributes?.length ?? 0) <= limits.attributes);
    for (const { trait_type, value, display_type } of document.attributes ?? []) {
      bounded(trait_type);
      bounded(display_type);
      walk(value, 3);
    }
    assert.ok(Object.keys(document.properties ?? {}).length <= limits.properties);
    walk(document.properties ?? null, 1);
    assert.ok((document.localization?.locales.length ?? 0) <= limits.locales);
    assert.equal(storedText(fromStoredText(document.name, storedText(document))), storedText(document));
  }

  const anything = fc.object({
    key: fc.constantFrom(
      'name',
      'image',
      'value',
      'trait_type',
      'properties',
      '__proto__',
      'constructor',
      'k\0',
      '\ud800',
    ),
    values: [anyText(), fc.constant('{id}\0\ud800'), fc.double(), fc.boolean(), fc.constant(null)],
    maxDepth: 5,
    withNullPrototype: true,
  });
  const entry = fc.record(
    { trait_type: fc.oneof(fc.string(), anything), value: anything, display_type: anything },
    { requiredKeys: [] },
  );
  // Not `fc.webUrl`, whose escapes come from `unit: 'binary'`.
  const webUrl = fc
    .tuple(fc.domain(), fc.string())
    .map(([domain, path]) => `https://${domain}/${encodeURIComponent(path)}`);
  const source = fc.record(
    {
      name: fc.oneof(anyText({ maxLength: 300 }), anything),
      description: anything,
      image: fc.oneof(fc.string({ maxLength: 100 }), anything),
      attributes: fc.oneof(fc.array(entry, { maxLength: 9 }), anything),
      properties: anything,
      localization: fc.record({ uri: webUrl, default: fc.string(), locales: fc.array(fc.string()) }),
    },
    { requiredKeys: [] },
  );

  test('gives a bounded document or an error, and never throws', () => {
    const text = source.map(value => JSON.stringify(value));
    const broken = fc.tuple(text, fc.nat(), anyText()).map(([json, at, insert]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + insert + json.slice(place);
    });
    fc.assert(
      fc.property(fc.oneof(text, broken, anyText()), input => {
        const result = parse(input, { limits });
        if (result.ok) check(result.value);
      }),
      { numRuns: scale === 'short' ? 400 : 1500 },
    );
  });

  test('bytes neither', () => {
    fc.assert(fc.property(fc.uint8Array(), bytes => void parse(bytes)));
  });
});
