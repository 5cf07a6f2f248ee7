import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../base/lib/json.ts';
import { replaceFile } from '../../base/lib/partial-file.ts';
import type { ExportColumns, ExportType } from './columns.ts';
import { ExportRefused } from './export-refused.ts';
import type { ExportedListName, ExportFormat } from './names.ts';
import type { WrittenFile } from './part-file.ts';
import type { PartSpan } from './parts.ts';
import type { Pin } from './pinned-reads.ts';

/** The description of an exported list. It is written last: when it exists, all files of the list do. */
export const MANIFEST = 'manifest.json';
/** The description while an export is in progress or was stopped: it names the files that are right. */
export const UNFINISHED = 'unfinished.json';

/** Raised when columns change their contents, or parts are cut in another way. */
const VERSION = 1;

/** A file of a list, keys in the order in which they are written. */
export interface ManifestPart extends WrittenFile {
  readonly file: string;
  readonly number: number;
  readonly first_block_height: number;
  readonly last_block_height: number;
  /** 0x hex. With the two numbers it identifies all rows of the file. */
  readonly last_index_block_hash: string;
  /** See Pin. */
  readonly revision: number;
}

/** Values that must be the same for all exports into one directory. */
interface ManifestTerms {
  readonly version: number;
  readonly list: ExportedListName;
  readonly format: ExportFormat;
  /** 0x hex. */
  readonly chain_id: string;
  readonly part_transactions: number;
  readonly columns: readonly { readonly name: string; readonly type: ExportType; readonly nullable: boolean }[];
}

interface Manifest extends ManifestTerms {
  /** Version of the program that wrote it. */
  readonly program: string;
  /** The block that the list shows. */
  readonly block: { readonly height: number; readonly index_block_hash: string; readonly burn_block_height: number };
  readonly rows: number;
  readonly bytes: number;
  readonly parts: readonly ManifestPart[];
}

/** @param size transactions of a part */
export const termsOf = (
  { list, format, size }: { readonly list: ExportedListName; readonly format: ExportFormat; readonly size: number },
  columns: ExportColumns,
  { chainId }: Pin,
): ManifestTerms => ({
  version: VERSION,
  list,
  format,
  chain_id: `0x${chainId.toString(16).padStart(8, '0')}`,
  part_transactions: size,
  columns: Object.entries(columns).map(([name, { type, isNullable }]) => ({ name, type, nullable: isNullable })),
});

/** The name of the file of a part. */
export const fileOfPart = ({ list, format }: ManifestTerms, { number }: Pick<PartSpan, 'number'>): string =>
  `${list}-${String(number).padStart(6, '0')}.${format}`;

export const manifestPart = (
  terms: ManifestTerms,
  { number, firstHeight, lastHeight, lastIndexBlockHash }: PartSpan,
  { revision }: Pin,
  { rows, bytes, sha256 }: WrittenFile,
): ManifestPart => ({
  file: fileOfPart(terms, { number }),
  number,
  first_block_height: firstHeight,
  last_block_height: lastHeight,
  last_index_block_hash: lastIndexBlockHash,
  revision,
  ...{ rows, bytes, sha256 },
});

/** Writes a manifest, and replaces an earlier one atomically. */
export function writeManifest(
  path: string,
  terms: ManifestTerms,
  { program, pin, parts }: { readonly program: string; readonly pin: Pin; readonly parts: readonly ManifestPart[] },
): Promise<void> {
  const { height, indexBlockHash: index_block_hash, burnBlockHeight: burn_block_height } = pin;
  const sum = (of: (part: ManifestPart) => number) => parts.reduce((total, part) => total + of(part), 0);
  const manifest: Manifest = {
    ...terms,
    program,
    block: { height, index_block_hash, burn_block_height },
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    parts,
  };
  return replaceFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Reads a manifest; undefined without one.
 * @throws ExportRefused if it cannot be read, or describes an export that these terms cannot continue
 */
export async function readManifest(path: string, terms: ManifestTerms): Promise<Manifest | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const manifest = parseJson(text);
  if (!isManifest(manifest)) throw new ExportRefused(`${path} does not describe an exported list`, OTHER_DIRECTORY);
  for (const name of ['version', 'list', 'format', 'chain_id', 'part_transactions', 'columns'] as const)
    if (!isDeepStrictEqual(manifest[name], terms[name]))
      throw new ExportRefused(
        name === 'columns'
          ? `${path} has other columns than this version of the program writes`
          : `${path} has ${name} ${manifest[name]}, not ${terms[name]}`,
        OTHER_DIRECTORY,
      );
  return manifest;
}

export const OTHER_DIRECTORY = 'Name another directory with --to, or remove this one to write all of it anew.';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it has the members that this program reads. */
const isManifest = (value: unknown): value is Manifest =>
  isJsonObject(value) &&
  isJsonObject(value.block ?? null) &&
  isHash((value.block as JsonObject).index_block_hash) &&
  Array.isArray(value.parts) &&
  value.parts.every(isPart);

const isHash = (value: unknown): boolean => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value);

const isPart = (value: unknown): value is ManifestPart =>
  isJsonObject(value) &&
  [value.number, value.first_block_height, value.last_block_height, value.revision, value.rows, value.bytes].every(
    Number.isSafeInteger,
  ) &&
  isHash(value.last_index_block_hash) &&
  typeof value.sha256 === 'string';
