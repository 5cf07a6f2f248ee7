/** The files of a commit in a folder of their own, built: what a release is made of, whatever else lies in the checkout. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git, run } from './commands.ts';
import { readManifest, repositoryPage } from './manifest.ts';
import { linksOf, withOutsideLinks } from './package-links.ts';

/** Of the tarball of the npm package: `npx` loads it before the program starts. */
const MAX_PACKAGE_BYTES = 3_000_000;

/** A commit whose files are in a folder. */
export interface SourceTree {
  readonly folder: string;
  /** In full. */
  readonly commit: string;
  /** When it was committed, in seconds since 1970: the time of every file of its release. */
  readonly time: number;
}

/**
 * Unpacks a commit and compiles it.
 * @param root a checkout with node_modules
 * @throws CommandFailed for an unknown commit, and when it cannot be compiled
 */
export function checkOut(root: string, revision: string): SourceTree {
  const commit = git(root, 'rev-parse', '--verify', `${revision}^{commit}`);
  const time = Number(git(root, 'show', '--no-patch', '--format=%ct', commit));
  const folder = mkdtempSync(join(tmpdir(), 'stacks-release-'));
  const archive = join(folder, 'source.tar');
  git(root, 'archive', '--output', archive, commit);
  run('tar', ['-xf', archive, '-C', folder], { cwd: folder });
  rmSync(archive);
  if (readFileSync(join(folder, 'package-lock.json'), 'utf8') === readFileSync(join(root, 'package-lock.json'), 'utf8'))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  else run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { cwd: folder });
  return { folder, commit, time };
}

/** What `npm pack` would take of a folder. @returns paths from it, in order */
function packedFiles(folder: string): readonly string[] {
  const listed = run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'], { cwd: folder });
  const [packed] = readJsonOfNpm<readonly { readonly files: readonly { readonly path: string }[] }[]>(listed);
  return (packed?.files ?? []).map(({ path }) => path).toSorted();
}

/** npm prints a list of packages, or, since version 12, an object by their names. */
function readJsonOfNpm<T extends readonly unknown[]>(text: string): T {
  const value: unknown = JSON.parse(text);
  return (Array.isArray(value) ? value : Object.values(value as object)) as unknown as T;
}

/**
 * Makes the npm package of a tree. Links of its pages to what is not in the package lead to the repository.
 * @param out a folder
 * @returns the path of the tarball, and the paths of what is in it from the folder of the tree
 * @throws CommandFailed; Error for a package above MAX_PACKAGE_BYTES
 */
export function packTree(
  tree: SourceTree,
  out: string,
): { readonly tarball: string; readonly files: readonly string[] } {
  const { folder, commit } = tree;
  const page = repositoryPage(readManifest(folder));
  const files = packedFiles(folder);
  const known = new Set(files.flatMap(file => [file, ...foldersOf(file)]));
  const at = (file: string): string => `${page}/blob/${commit}/${file}`;
  for (const file of files.filter(path => path.endsWith('.md'))) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    if (linksOf(file, text).every(link => known.has(link.file))) continue;
    writeFileSync(
      path,
      withOutsideLinks(file, text, name => known.has(name), at),
    );
  }
  mkdirSync(out, { recursive: true });
  const printed = run('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', out], {
    cwd: folder,
  });
  const [packed] = readJsonOfNpm<readonly { readonly filename: string }[]>(printed);
  const tarball = join(out, packed?.filename ?? '');
  const { size } = statSync(tarball);
  if (size > MAX_PACKAGE_BYTES) throw new Error(`${tarball} has ${size} bytes, more than ${MAX_PACKAGE_BYTES}`);
  return { tarball, files };
}

/** `a/b/c` has `a/b` and `a`. */
function foldersOf(file: string): readonly string[] {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}
