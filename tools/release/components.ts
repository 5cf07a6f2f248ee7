/** What a release consists of besides its own code, from package-lock.json: for the bill of materials, and for its licences. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from './manifest.ts';

/** Where native modules run. `libc` is undefined where a system has only one. */
export interface Platform {
  readonly os: 'linux' | 'darwin';
  readonly cpu: 'x64' | 'arm64';
  readonly libc?: 'glibc' | 'musl';
}

/** A package of the lock file. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** `sha512-` and base64, of the tarball of the package. */
  readonly integrity: string;
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

/**
 * The packages that the program runs with.
 * @param root the folder of package-lock.json
 * @param platform leaves out native packages of others; all of them without it
 * @returns in the order of their names, each version once
 */
export function componentsOf(root: string, platform?: Platform): readonly Component[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Map<string, Component>();
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path === '' || locked.dev === true || !runsOn(locked, platform)) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const { version, license = 'unknown', integrity = '' } = locked;
    found.set(`${name}@${version}`, { name, version, license, integrity });
  }
  return [...found.keys()].toSorted().flatMap(key => found.get(key) ?? []);
}

function runsOn({ os, cpu, libc }: Locked, platform: Platform | undefined): boolean {
  if (platform === undefined) return true;
  const fits = (allowed: readonly string[] | undefined, value: string | undefined): boolean =>
    allowed === undefined || (value !== undefined && allowed.includes(value));
  return fits(os, platform.os) && fits(cpu, platform.cpu) && fits(libc, platform.libc);
}

/** A list of licences for people, with that of the program first. */
export const licencesText = (manifest: Manifest, components: readonly Component[], nodeVersion?: string): string =>
  [
    `stacks-index ${manifest.version}: ${manifest.license}`,
    ...(nodeVersion === undefined ? [] : [`Node.js ${nodeVersion}: MIT and others, see runtime/LICENSE`]),
    ...components.map(({ name, version, license }) => `${name} ${version}: ${license}, see node_modules/${name}`),
    '',
  ].join('\n');

/**
 * The bill of materials, in the format CycloneDX 1.6. It follows from its arguments alone.
 * @param time seconds since 1970
 */
export function billOfMaterials(manifest: Manifest, components: readonly Component[], time: number): string {
  const self = purl(manifest.name, manifest.version);
  const listed = components.map(({ name, version, license, integrity }) => ({
    type: 'library',
    'bom-ref': purl(name, version),
    name,
    version,
    licenses: [{ expression: license }],
    purl: purl(name, version),
    hashes: integrity.startsWith('sha512-')
      ? [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }]
      : [],
  }));
  const digest = createHash('sha256')
    .update(JSON.stringify([self, listed]))
    .digest('hex');
  const uuid = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': self,
        name: manifest.name,
        version: manifest.version,
        licenses: [{ expression: manifest.license }],
        purl: self,
      },
    },
    components: listed,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** The name of a package in the form of package-url: `@` of a scope is `%40`. */
const purl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;
