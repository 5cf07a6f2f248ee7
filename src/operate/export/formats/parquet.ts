import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ExportColumn, ExportColumns, ExportRow, ExportType } from '../columns.ts';
import type { RowEncoder } from './row-encoder.ts';

/** A row group ends with the row that passes one of these: it is in memory until it is encoded. */
const MAX_ROWS = 20_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** The Parquet types of columns. All programs that read Parquet know these older names of its types. */
const ELEMENTS: Readonly<Record<ExportType, Omit<SchemaElement, 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  amount: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: 0 },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

/** Types whose columns have their least and greatest value in each row group, so that queries can skip groups. */
const HAS_STATISTICS: ReadonlySet<ExportType> = new Set(['integer', 'time']);

/**
 * A Parquet file, compressed by zstd.
 * @param program the program and its version, for the file
 */
export function parquetEncoder(columns: ExportColumns, program: string): RowEncoder {
  const fields = Object.entries(columns).map(([name, column]) => ({ name, column, data: [] as unknown[] }));
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: schemaOf(columns),
    codec: 'ZSTD',
    compressors: { ZSTD: bytes => zstdCompressSync(bytes) },
    createdBy: program,
  });
  let rows = 0;
  let characters = 0;
  const endGroup = () => {
    if (rows === 0) return;
    const columnData = fields.map(
      ({ name, column, data }): ColumnSource => ({ name, data, statistics: HAS_STATISTICS.has(column.type) }),
    );
    // The writer works in memory, so there is nothing to await.
    void file.write({ columnData, rowGroupSize: rows });
    for (const field of fields) field.data = [];
    rows = 0;
    characters = 0;
  };
  const taken = (): Uint8Array => {
    const bytes = writer.getBytes().slice();
    writer.index = 0; // `offset`, by which the file refers to its parts, continues
    return bytes;
  };
  return {
    add: added => {
      for (const row of added) {
        for (const { name, column, data } of fields) {
          const value = row[name] ?? null;
          if (typeof value === 'string') characters += value.length;
          data.push(parquetValue(column, value));
        }
        rows++;
        if (rows >= MAX_ROWS || characters >= MAX_CHARACTERS) endGroup();
      }
      return taken();
    },
    end: () => {
      endGroup();
      void file.finish();
      return taken();
    },
  };
}

const schemaOf = (columns: ExportColumns): SchemaElement[] => [
  { name: 'row', num_children: Object.keys(columns).length },
  ...Object.entries(columns).map(
    ([name, { type, isNullable }]): SchemaElement => ({
      name,
      repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED',
      ...ELEMENTS[type],
    }),
  ),
];

function parquetValue({ type }: ExportColumn, value: ExportRow[string]): ExportRow[string] {
  if (value === null) return null;
  switch (type) {
    case 'integer':
      // A nonce is an unsigned 64-bit number. Numbers of that size are not exact anyway.
      return BigInt(Math.min(Number(value), Number.MAX_SAFE_INTEGER));
    case 'time':
      return BigInt(value) * 1000n;
    case 'text':
    case 'json':
    case 'amount':
      return value;
    default:
      return type satisfies never;
  }
}
