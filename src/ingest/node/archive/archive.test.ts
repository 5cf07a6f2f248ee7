import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from '../../../../test/support/fast-check.ts';
import { scale } from '../../../../test/support/scale.ts';
import { type ArchiveStream, readArchive, requireArchive } from './read.ts';
import { type ArchivedEvent, ArchiveError, type ArchiveRow } from './row.ts';
import { writeArchive } from './write.ts';

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'archive-test-'));
});
after(() => rmSync(directory, { recursive: true }));
let files = 0;

function fileOf(content: string | Uint8Array, extension = 'tsv'): string {
  const file = join(directory, `${files++}.${extension}`);
  writeFileSync(file, content);
  return file;
}

const rowsOf = (file: string, options = {}): Promise<ArchiveRow[]> => rowsFrom(file, options);

async function rowsFrom(source: string | ArchiveStream, options = {}): Promise<ArchiveRow[]> {
  const rows: ArchiveRow[] = [];
  for await (const row of readArchive(source, options)) rows.push(row);
  return rows;
}

const time = '2021-09-16 23:46:52.589279+00';
const lineOf = (payload: string, id: number | string = 1): string => `${id}\t${time}\t/new_block\t${payload}\n`;

/** The body as text, or the reason why there is no body. */
async function outcomes(content: string | Uint8Array, extension = 'tsv'): Promise<string[]> {
  const rows = await rowsOf(fileOf(content, extension));
  return rows.map(row => (row.kind === 'event' ? Buffer.from(row.body).toString() : `bad: ${row.reason}`));
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe('reading an archive', () => {
  it('every row of the sample chain is an event', async () => {
    const file = new URL('../../../../examples/sample-chain.tsv.gz', import.meta.url).pathname;
    const progress = { bytesRead: 0, bytesTotal: 0 };
    const rows = await rowsOf(file, { progress });
    assert.equal(rows.length, 679);
    assert.ok(rows.every(row => row.kind === 'event'));
    assert.equal(progress.bytesTotal, readFileSync(file).length);
    assert.equal(progress.bytesRead, progress.bytesTotal);
  });

  it('a row gives its line, id, path and time in microseconds', async () => {
    const [row] = await rowsOf(fileOf(lineOf('{}', 196190)));
    assert.deepEqual(row, {
      kind: 'event',
      line: 1,
      id: 196190,
      receivedAt: Date.UTC(2021, 8, 16, 23, 46, 52) * 1000 + 589_279,
      path: '/new_block',
      body: Buffer.from('{}'),
    });
  });

  it('both styles of time are read, with any zone', async () => {
    const at = async (text: string) => {
      const [row] = await rowsOf(fileOf(`1\t${text}\t/x\t{}\n`));
      return row?.kind === 'event' ? row.receivedAt : row?.reason;
    };
    const second = Date.UTC(2025, 9, 16, 16, 10, 41) * 1000;
    assert.equal(await at('2025-10-16T16:10:41.352Z'), second + 352_000);
    assert.equal(await at('2025-10-16 16:10:41+00'), second);
    assert.equal(await at('2025-10-16 18:10:41.5+02'), second + 500_000);
    assert.equal(await at('2025-10-16 10:40:41-05:30'), second);
    assert.equal(await at('2025-02-30 10:40:41+00'), 'not a time: "2025-02-30 10:40:41+00"');
    assert.equal(await at('yesterday'), 'not a time: "yesterday"');
  });

  it('COPY escapes are undone once', async () => {
    assert.deepEqual(await outcomes(lineOf('{"a":"x\\\\"y\\\\\\\\\\\\nz"}')), ['{"a":"x\\"y\\\\\\nz"}']);
    assert.deepEqual(await outcomes(lineOf('{\\t"a":\\n1\\r}')), ['{\t"a":\n1\r}']);
  });

  it('plain JSON without COPY escapes is taken as it is', async () => {
    for (const json of ['{"a":"x\\"y"}', '{"a":"x\\ny"}', '{"a":"\\u0000\\/"}']) {
      assert.deepEqual(await outcomes(lineOf(json)), [json]);
    }
  });

  it('a tab inside the payload belongs to it', async () => {
    assert.deepEqual(await outcomes(lineOf('{\t"a":1}')), ['{\t"a":1}']);
  });

  it('CRLF, empty lines and repeated ids are tolerated', async () => {
    const text = `${lineOf('{"a":1}').replace('\n', '\r\n')}\n\r\n${lineOf('{"a":2}')}${lineOf('{"a":3}')}`;
    const rows = await rowsOf(fileOf(text));
    assert.deepEqual(
      rows.map(row => [row.line, row.kind]),
      [
        [1, 'event'],
        [4, 'event'],
        [5, 'event'],
      ],
    );
  });

  it('bad rows are reported with their reason and reading goes on', async () => {
    const content = [
      lineOf('\\N'),
      'only\ttwo\n',
      lineOf('{}', 'one'),
      lineOf('{}', '99999999999999999999'),
      `1\t${time}\tnew_block\t{}\n`,
      lineOf('{"good":1}'),
    ].join('');
    assert.deepEqual(await outcomes(content), [
      'bad: the payload is NULL',
      'bad: expected 4 columns, found 2',
      'bad: not an id: "one"',
      'bad: not an id: "99999999999999999999"',
      'bad: not an event path: "new_block"',
      '{"good":1}',
    ]);
  });

  it('a last line without newline counts when it is complete, and is bad when it was cut off', async () => {
    assert.deepEqual(await outcomes(lineOf('{"a":1}').trimEnd()), ['{"a":1}']);
    assert.deepEqual(await outcomes(lineOf('{"a":1}').slice(0, -2)), ['bad: the last line is cut off']);
    assert.deepEqual(await outcomes('1\t2021'), ['bad: the last line is cut off: expected 4 columns, found 2']);
  });

  it('a line over the limit is bad, also across many chunks, and the next one is read', async () => {
    const long = lineOf(`"${'x'.repeat(1_000_000)}"`);
    const rows = await rowsOf(fileOf(long + lineOf('{}')), { maxLineBytes: 1000 });
    assert.deepEqual(
      rows.map(row => row.kind),
      ['bad', 'event'],
    );
    const whole = await rowsOf(fileOf(long + lineOf('{}')));
    assert.equal(whole[0]?.kind === 'event' && whole[0].body.length, 1_000_002);
  });

  it('all members of a gzip file and all frames of a zstd file are read', async () => {
    const parts = Array.from({ length: 50 }, (_, i) => Buffer.from(lineOf(`{"a":"${'y'.repeat(i * 500)}"}`, i)));
    const plain = await outcomes(Buffer.concat(parts));
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    assert.deepEqual(await outcomes(Buffer.concat(parts.map(part => gzipSync(part))), 'gz'), plain);
    const frames = parts.flatMap(part => [zstdCompressSync(part), skippable]);
    assert.deepEqual(await outcomes(Buffer.concat([skippable, ...frames]), 'zst'), plain);
  });

  it('a damaged or cut off file ends with the line it came to', async () => {
    const text = Array.from({ length: scale === 'short' ? 4_000 : 20_000 }, (_, i) =>
      lineOf(`{"a":${Math.sin(i)}}`, i),
    ).join('');
    for (const [extension, whole] of [
      ['gz', gzipSync(text)],
      ['zst', zstdCompressSync(text)],
    ] as const) {
      const halves = [
        whole.subarray(0, whole.length / 2),
        Buffer.concat([whole.subarray(0, -1000), Buffer.alloc(1000)]),
      ];
      for (const content of [...halves, Buffer.concat([whole, Buffer.from('garbage')]), Buffer.alloc(0)]) {
        let lines = 0;
        const reading = async () => {
          for await (const row of readArchive(fileOf(content, extension))) lines = row.line;
        };
        await assert.rejects(reading, (error: unknown) => {
          assert.ok(error instanceof ArchiveError);
          assert.equal(error.code, 'archive_damaged');
          assert.equal(error.line, lines);
          return true;
        });
      }
    }
  });

  it('a missing file is a typed error', async () => {
    await assert.rejects(rowsOf(join(directory, 'missing.gz')), {
      name: 'ArchiveError',
      code: 'archive_unreadable',
      line: 0,
    });
  });

  it('a caller may stop early', async () => {
    for await (const row of readArchive(fileOf(gzipSync(lineOf('{}').repeat(1000)), 'gz'))) {
      assert.equal(row.line, 1);
      break;
    }
  });
});

describe('reading a dump of PostgreSQL', () => {
  /** As pg_restore writes it, with other columns and tables than those of events around it. */
  const dumpOf = (rows: string, table = 'stacks_blockchain_api.event_observer_requests') => `--
-- PostgreSQL database dump
--

\\restrict abc
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);

COPY public.other (id, text) FROM stdin;
1\tCOPY of a text
\\.


COPY ${table} (event_path, id, note, payload, receive_timestamp) FROM stdin;
${rows}\\.


--
-- PostgreSQL database dump complete
--

\\unrestrict abc
`;
  const row = (id: number, payload = '{}', path = '/new_block') => `${path}\t${id}\t\\N\t${payload}\t${time}\n`;

  it('the columns have the order of the COPY line, escapes count, and what is around the rows is skipped', async () => {
    const rows = await rowsOf(fileOf(dumpOf(row(5, '{"a":"x\\\\ty"}') + row(9, '[]', '/attachments/new'))));
    assert.deepEqual(
      rows.map(
        each => each.kind === 'event' && [each.id, each.path, Buffer.from(each.body).toString(), each.receivedAt],
      ),
      [
        [5, '/new_block', '{"a":"x\\ty"}', 1_631_836_012_589_279],
        [9, '/attachments/new', '[]', 1_631_836_012_589_279],
      ],
    );
  });

  it('rows of the publisher are read from its table, also those with a JSON text within a JSON string', async () => {
    const rows = `1\t${time}\t/new_block\t{"a":1}\n2\t${time}\t/new_block\t${JSON.stringify('{"a":"b\\n"}').replaceAll('\\', '\\\\')}\n`;
    const dump = `COPY public.messages (sequence_number, created_at, path, content) FROM stdin;\n${rows}\\.\n`;
    assert.deepEqual(await outcomes(dump), ['{"a":1}', '{"a":"b\\n"}']);
  });

  it('a row with too few columns is bad, and the rows behind it are read', async () => {
    assert.deepEqual(await outcomes(dumpOf(`/new_block\t1\n${row(2)}`)), ['bad: expected 5 columns, found 2', '{}']);
  });

  it('ids that do not ascend end the reading, since order decides forks', async () => {
    await assert.rejects(outcomes(dumpOf(row(2) + row(1))), { code: 'rows_out_of_order', hint: /replay --from/ });
    const stream = {
      name: '-',
      chunks: () => each([Buffer.from(lineOf('{}', 2) + lineOf('{}', 1))]),
      isOrderUnknown: true,
    };
    await assert.rejects(rowsFrom(stream), { code: 'rows_out_of_order' });
  });

  it('a dump without the table of events, and one in the format of pg_dump, say what to do', async () => {
    await assert.rejects(outcomes(dumpOf('', 'public.blocks')), {
      code: 'dump_without_events',
      hint: /pg_restore --list/,
    });
    await assert.rejects(outcomes(Buffer.from('PGDMP\u0001\u000e')), {
      code: 'binary_dump',
      hint: /pg_restore .* \| stacks-index replay -/,
    });
  });
});

describe('reading a stream', () => {
  it('its first bytes tell how it is compressed, however they are cut', async () => {
    const text = lineOf('{"a":1}');
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 9]);
    for (const bytes of [
      Buffer.from(text),
      gzipSync(text),
      zstdCompressSync(text),
      Buffer.concat([skippable, zstdCompressSync(text)]),
    ]) {
      const chunks = () => each(Array.from(bytes, byte => Buffer.from([byte])));
      assert.equal((await rowsFrom({ name: 'stream', chunks })).length, 1);
    }
  });

  it('a zstd window above the limit names the option, and is read with it', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 24, [constants.ZSTD_c_contentSizeFlag]: 0 };
    const chunks = () => each([zstdCompressSync(lineOf(`"${'x'.repeat(5_000_000)}"`), { params })]);
    await assert.rejects(rowsFrom({ name: 'stream', chunks }, { zstdWindowLog: 20 }), {
      code: 'zstd_window',
      hint: /--zstd-window-log/,
    });
    assert.equal((await rowsFrom({ name: 'stream', chunks }, { zstdWindowLog: 24 })).length, 1);
  });

  it('a line without an end, as a small file can hold one, ends the reading', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(80 * 1024 * 1024));
    const rows = rowsOf(fileOf(bomb, 'zst'), { maxLineBytes: 1_000_000 });
    await assert.rejects(rows, { code: 'archive_damaged', message: /more than \d+ bytes/ });
  });
});

describe('writing an archive', () => {
  const jsonBody = fc
    .tuple(
      fc.json({ maxDepth: 3 }),
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom('\\u0000', '\\n\\t\\r\\b\\f', '\\\\', '\\"'),
    )
    .map(([json, bytes, escaped]) => {
      const safe = bytes.filter(byte => byte >= 0x20 && byte !== 0x22 && byte !== 0x5c); // may be broken UTF-8
      return Buffer.concat([Buffer.from(`{"a": ${json},\r\n\t"b": "${escaped}`), safe, Buffer.from('\\"\\u000b"}\n')]);
    });
  const event: fc.Arbitrary<ArchivedEvent> = fc.record({
    id: fc.maxSafeNat(),
    receivedAt: fc.integer({ min: 0, max: 4_000_000_000_000_000 }),
    path: fc.oneof(
      fc.constantFrom('/new_block', '/attachments/new'),
      fc.string().map(text => `/${text}`),
    ),
    body: jsonBody,
  });

  for (const extension of ['tsv', 'gz', 'zst']) {
    it(`what is written to .${extension} is read back, byte for byte`, async () => {
      const property = fc.asyncProperty(fc.array(event), async events => {
        const file = join(directory, `${files++}.${extension}`);
        assert.equal(await writeArchive(file, each(events)), events.length);
        const expected = events.map((row, i) => ({ kind: 'event', line: i + 1, ...row, body: Buffer.from(row.body) }));
        const rows = await rowsOf(file);
        assert.deepEqual(
          rows.map(row => (row.kind === 'event' ? { ...row, body: Buffer.from(row.body) } : row)),
          expected,
        );
        rmSync(file);
      });
      await fc.assert(property, { numRuns: scale === 'short' ? 30 : 100 });
    });
  }

  it('the format is that of COPY', async () => {
    const file = join(directory, 'format.tsv');
    const body = Buffer.from('{"a":\n"\\"\t\b\f\v\r"}');
    await writeArchive(
      file,
      each([{ id: 5, receivedAt: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 6, path: '/new_block', body }]),
    );
    assert.equal(
      readFileSync(file, 'utf8'),
      '5\t2026-01-02 03:04:05.000006+00\t/new_block\t{"a":\\n"\\\\"\\t\\b\\f\\v\\r"}\n',
    );
  });

  it('a failure leaves neither a file nor a part of one', async () => {
    const before = readdirSync(directory);
    async function* failing(): AsyncGenerator<ArchivedEvent> {
      yield { id: 1, receivedAt: 0, path: '/new_block', body: Buffer.from('{}') };
      throw new Error('out of rows');
    }
    await assert.rejects(writeArchive(join(directory, 'failing.gz'), failing()), /out of rows/);
    const wrong = { id: -1, receivedAt: 0, path: '/new_block', body: Buffer.from('{}') };
    await assert.rejects(writeArchive(join(directory, 'wrong.gz'), each([wrong])), RangeError);
    assert.deepEqual(readdirSync(directory), before);
  });
});

describe('a file that is to be loaded', () => {
  const kind = (content: string | Uint8Array, extension?: string) =>
    requireArchive(fileOf(content, extension)).then(
      () => 'an archive',
      ({ code, message }: ArchiveError) => `${code}: ${message.slice(message.indexOf(' ') + 1)}`,
    );

  it('is an archive when one of its first lines is an event, whatever is in front of it', async () => {
    assert.equal(await kind(lineOf('{}')), 'an archive');
    assert.equal(await kind(`no event\n\n${lineOf('{}')}`), 'an archive');
    assert.equal(await kind(gzipSync(lineOf('{}')), 'gz'), 'an archive');
  });

  it('is none when no line is an event, however it is compressed', async () => {
    const none = (reason: string) => `not_an_archive: is not an event archive: there is no event${reason}`;
    assert.equal(await kind(''), none(': the file is empty'));
    const text = '# A title\n\nA sentence.\n';
    const why = none(' after line 3: line 1: expected 4 columns, found 1');
    assert.equal(await kind(text), why);
    assert.equal(await kind(gzipSync(text), 'gz'), why);
    assert.equal(await kind(zstdCompressSync(text), 'zst'), why);
    assert.match(await kind('x\n'.repeat(10_001) + lineOf('{}')), /^not_an_archive: .* after line 10000/);
  });

  it('is damaged when it is cut off before its first event, and cannot be read when it is missing or a directory', async () => {
    assert.match(await kind(gzipSync(lineOf('{}'.repeat(999))).subarray(0, 30), 'gz'), /^archive_damaged/);
    await assert.rejects(requireArchive(join(directory, 'nowhere.tsv')), { code: 'archive_unreadable' });
    await assert.rejects(requireArchive(directory), { code: 'archive_unreadable' });
  });
});
