import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';

/** A row of a file: integers as numbers, times as dates, decimals as bigints. */
type ParquetRow = Readonly<Record<string, unknown>>;

/** The rows of a Parquet file that is compressed by zstd. */
export async function readParquet(bytes: Uint8Array): Promise<ParquetRow[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const metadata = parquetMetadata(file);
  // The library reads decimals as doubles: here they come as the bytes that they are.
  const decimals = new Set(metadata.schema.filter(each => each.converted_type === 'DECIMAL').map(({ name }) => name));
  for (const element of metadata.schema) if (decimals.has(element.name)) delete element.converted_type;
  const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
  const rows = await parquetReadObjects({ file, metadata, compressors, utf8: false });
  return rows.map(row =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readValue(value, decimals.has(name))])),
  );
}

function readValue(value: unknown, isDecimal: boolean): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!isDecimal || !(value instanceof Uint8Array)) return value ?? null;
  return BigInt.asIntN(8 * value.length, BigInt(`0x${Buffer.from(value).toString('hex')}`));
}
