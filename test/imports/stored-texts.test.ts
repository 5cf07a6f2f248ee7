/** What is stored packed has one door: outside of it, no file of the index, of the API's records or of the checks parses, unpacks or casts it. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readersBesideDoors } from './stored-texts.ts';

const src = join(import.meta.dirname, '../../src');

const ROOMS = ['index', 'api/records', 'api/routes', 'api/live', 'api/paging', 'operate/verify'];

/** Besides files named `stored.ts` of the index: the other files that read, each with the reason. */
const DOORS: ReadonlyMap<string, string> = new Map([
  ['base/lib/number-bytes.ts', 'the packing behind the doors of sums'],
  ['ingest/indexer/index-state.ts', 'the door of the state of the index'],
  ['ingest/indexer/undo-log.ts', 'the door of undo records, beside the function that packs them'],
  ['index/contracts/functions.ts', 'keeps parsed interfaces of called contracts for the projection'],
  ['index/contracts/trait.ts', 'parses traits that clients send'],
  ['index/transactions/events.ts', 'the door of stored events, beside the function that packs them'],
  ['index/transactions/packed-record.ts', 'the packing behind the door of transactions'],
  ['metadata/document/document.ts', 'the door of stored metadata, beside the function that makes their text'],
  ['api/records/transactions/record-v1.ts', 'reads its own text of version 1, to leave out arguments'],
  ['api/live/json-rpc.ts', 'parses frames of clients, and payloads of the live log'],
  ['api/routes/extended/v1/faucets.ts', 'parses bodies of requests'],
  ['api/routes/extended/v3/faucets.ts', 'parses bodies of requests'],
  ['operate/verify/made-rows.ts', 'parses values of its own spilling map'],
  ...['balances', 'contracts', 'histories', 'lists', 'microblocks'].map(
    check => [`operate/verify/checks/${check}.ts`, 'reads values of its own spilling map'] as const,
  ),
]);

const isDoor = (file: string): boolean => /^index\/\w+(-\w+)*\/stored\.ts$/.test(file) || DOORS.has(file);

const isInside = (file: string): boolean => ROOMS.some(room => file.startsWith(`${room}/`));

const texts = new Map(
  globSync('**/*.ts', { cwd: src })
    .filter(file => !file.endsWith('.test.ts'))
    .map(file => [file, readFileSync(join(src, file), 'utf8')]),
);

test('what is stored packed is read by its doors alone', () => {
  assert.deepEqual(readersBesideDoors(texts, isDoor, isInside), []);
});

test('every exception reads', () => {
  const isUsed = (door: string) =>
    readersBesideDoors(
      texts,
      file => file !== door && isDoor(file),
      file => file === door,
    );
  assert.deepEqual(
    [...DOORS.keys()].filter(door => isUsed(door).length === 0),
    [],
  );
});

/** The findings in a file beside two doors, one of them an exception. */
const findingsIn = (text: string): string[] => {
  const files = new Map([
    ['index/names/stored.ts', 'export const readName = (text: string): Stored => JSON.parse(text);\n'],
    ['index/transactions/events.ts', 'export function unpackEvents(text: string) {\n  return JSON.parse(text);\n}\n'],
    [
      'base/lib/texts.ts',
      'export const parseText = (text: string): unknown =>\n  JSON.parse(text);\nexport const one = 1;\n',
    ],
    ['api/records/a.ts', text],
  ]);
  return readersBesideDoors(files, isDoor, isInside).map(found => found.replace('api/records/a.ts: ', ''));
};

test('a parse, an unpacking or a decompression beside the doors is found', () => {
  const reads = [
    'const { tx_id } = JSON.parse(record) as { tx_id: string };',
    'const { tx_id }: { tx_id: string } = JSON.parse(record);',
    'return texts.map(JSON.parse);',
    'const text = unpackRecord(row.record);',
    'const unpack = (text: string) => text.split(" ");\nconst [sent] = unpack(row.sums);',
    'const bytes = zstdDecompressSync(row.bytes);',
    'const bytes = await brotliDecompress(row.bytes);',
  ];
  for (const text of reads) assert.deepEqual(findingsIn(text), ['reads'], text);
});

test('a function of another file that parses is found where it is imported', () => {
  const named = "import { one, parseText } from '../../base/lib/texts.ts';\n";
  assert.deepEqual(findingsIn(named), ['calls parseText']);
  assert.deepEqual(findingsIn("import { parseText as parsed } from '../../base/lib/texts.ts';\n"), ['calls parsed']);
  assert.deepEqual(findingsIn("import { one } from '../../base/lib/texts.ts';\n"), []);
});

test('a cast of what a door returned, or of a member of it, is found', () => {
  const named = "import { readName } from '../../index/names/stored.ts';\n";
  const casts = [
    'const { a } = readName(row.name) as { a: string };',
    'return (readName(JSON.stringify(row)).data as Record<string, string>).a;',
    'const data = readName(row.name);\nreturn { ...(data as { a?: string }) };',
    'const { data, name: text } = readName(row.name);\nreturn [text as Name];',
    'return readName(row.name).list as readonly string[];',
    'return readName(row.name).list as [a: string, b: number];',
  ];
  for (const text of casts) assert.deepEqual(findingsIn(named + text), ['casts'], text);
});

test('what doors return is used freely', () => {
  const texts = [
    "import { readName } from '../../index/names/stored.ts';\nconst { a } = readName(row.name);\nreturn { kind: 'a' as const, a };",
    "import { unpackEvents } from '../../index/transactions/events.ts';\nreturn unpackEvents(row.events)[0];",
    'const text = JSON.stringify(row) as Text;',
  ];
  for (const text of texts) assert.deepEqual(findingsIn(text), [], text);
});
