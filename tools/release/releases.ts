/** The releases that were made: releases.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One release, with what an operator who comes from it has to know. */
export interface Release {
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The commit that is tagged `v` and the version, in full. */
  readonly commit: string;
  /** The number of its index: SCHEMA_VERSION of that commit. */
  readonly schema: number;
}

export const RELEASES = 'releases.json';

/** Where SCHEMA_VERSION was declared, the newest place first. */
export const SCHEMA_FILES = ['src/operate/storage/chain-binding.ts', 'src/storage/chain-binding.ts'];

/** @returns the oldest first */
export const readReleases = (root: string): readonly Release[] =>
  JSON.parse(readFileSync(join(root, RELEASES), 'utf8')) as readonly Release[];

export const writeReleases = (root: string, releases: readonly Release[]): void =>
  writeFileSync(join(root, RELEASES), `${JSON.stringify(releases, null, 2)}\n`);

/** @param source the text of a file of SCHEMA_FILES. @throws Error for a text without the number */
export function schemaNumberIn(source: string): number {
  const number = /^export const SCHEMA_VERSION = (\d+);$/m.exec(source)?.[1];
  if (number === undefined) throw new Error('no SCHEMA_VERSION');
  return Number(number);
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

/** Whether `version` is three numbers, and above `than`. */
export function isLater(version: string, than: string): boolean {
  const [of, other] = [VERSION.exec(version), VERSION.exec(than)];
  if (of === null || other === null) return false;
  for (let i = 1; i <= 3; i++) if (of[i] !== other[i]) return Number(of[i]) > Number(other[i]);
  return false;
}

/** The version that main has after a release: the next minor one, to come. @param version three numbers */
export function nextVersion(version: string): string {
  const [, major = '', minor = ''] = VERSION.exec(version) ?? [];
  return `${major}.${Number(minor) + 1}.0-dev`;
}
