/**
 * An image for x64 as an OCI layout (image-spec 1.1), made without a daemon: a layer of Debian packages, and one with the files of the tarball. Engines load
 * it: `podman pull oci:FOLDER`, `skopeo copy oci:FOLDER docker://...`.
 */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { run } from './commands.ts';
import { type ImageSettings, imageSettings } from './image-settings.ts';
import { entriesBelow, type TarEntry, writeTarGz } from './tar.ts';

/** Libraries of Node.js and of native modules, certificates, and a shell with small programs for bin/stacks-index. */
const PACKAGES = ['base-files', 'busybox-static', 'ca-certificates', 'libc6', 'libgcc-s1', 'libstdc++6'];
const PROGRAMS = ['sh', 'cat', 'dirname', 'ls', 'readlink'];
/** Folders that are links since /usr was merged. Some packages still name the old ones. */
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];
const USER_ID = 1000;

export interface OciOptions {
  /** The Dockerfile of a release. */
  readonly dockerfile: string;
  /** Files of the program, below the folder `top`. */
  readonly entries: readonly TarEntry[];
  readonly top: string;
  readonly version: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** The folder to make. */
  readonly out: string;
}

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/**
 * Makes the layout. Needs apt-get and dpkg-deb of a Debian system for x64.
 * @returns the Debian packages with their versions: other versions make other bytes
 * @throws CommandFailed when a package cannot be fetched
 */
export async function writeOciLayout(options: OciOptions): Promise<readonly string[]> {
  const { dockerfile, entries, top, version, time, out } = options;
  const blobs = join(out, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const place = mkdtempSync(join(tmpdir(), 'stacks-oci-'));
  try {
    const { root, packages } = unpackDebian(place);
    const temporary = { path: 'tmp', content: { kind: 'folder', mode: 0o1777 } } as const;
    const base = await addLayer(blobs, [...entriesBelow(root, '', path => path !== 'tmp'), temporary], time);
    const data = { path: 'data', content: { kind: 'folder', owner: USER_ID } } as const;
    const program = entries.map(entry => ({ ...entry, path: entry.path.replace(top, 'app') }));
    const app = await addLayer(blobs, [...program, data], time);
    const layers = [base, app];
    const config = addJson(blobs, 'application/vnd.oci.image.config.v1+json', {
      created: new Date(time * 1000).toISOString(),
      architecture: 'amd64',
      os: 'linux',
      config: imageSettings(dockerfile) satisfies ImageSettings,
      rootfs: { type: 'layers', diff_ids: layers.map(layer => layer.diffId) },
      history: ['Debian packages', 'stacks-index'].map(what => ({ created_by: what })),
    });
    const manifest = addJson(blobs, 'application/vnd.oci.image.manifest.v1+json', {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config,
      layers: layers.map(({ blob }) => blob),
    });
    const named = {
      ...manifest,
      platform: { architecture: 'amd64', os: 'linux' },
      annotations: { 'org.opencontainers.image.ref.name': version },
    };
    writeFileSync(join(out, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [named] }));
    writeFileSync(join(out, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    return packages;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Fetches the packages and unpacks them, without running their scripts. */
function unpackDebian(place: string): { readonly root: string; readonly packages: readonly string[] } {
  const [root, fetched] = [join(place, 'root'), join(place, 'packages')];
  for (const folder of [fetched, ...MERGED.map(name => join(root, 'usr', name))])
    mkdirSync(folder, { recursive: true });
  for (const name of MERGED) symlinkSync(`usr/${name}`, join(root, name));
  run('apt-get', ['download', ...PACKAGES], { cwd: fetched });
  const files = readdirSync(fetched).toSorted();
  for (const file of files) {
    const archive = join(place, 'package.tar');
    run('sh', ['-c', 'dpkg-deb --fsys-tarfile "$1" > "$2"', 'sh', join(fetched, file), archive], { cwd: place });
    run('tar', ['-x', '--keep-directory-symlink', '-f', archive, '-C', root], { cwd: place });
  }
  for (const name of PROGRAMS) symlinkSync('busybox', join(root, 'usr/bin', name));
  // What the script of ca-certificates does.
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  run('sh', ['-c', 'cat usr/share/ca-certificates/mozilla/*.crt > etc/ssl/certs/ca-certificates.crt'], { cwd: root });
  const users = `root:x:0:0:root:/root:/bin/sh\nstacks-index:x:${USER_ID}:${USER_ID}::/data:/bin/sh\n`;
  writeFileSync(join(root, 'etc/passwd'), users);
  return { root, packages: files.map(file => file.replace(/_[^_]*\.deb$/, '').replace('_', ' ')) };
}

interface Layer {
  readonly blob: Blob;
  /** Digest of the archive before it was compressed. */
  readonly diffId: string;
}

async function addLayer(blobs: string, entries: readonly TarEntry[], time: number): Promise<Layer> {
  const file = join(blobs, 'layer');
  await writeTarGz(file, entries, time);
  const [packed, plain] = [createHash('sha256'), createHash('sha256')];
  for await (const chunk of createReadStream(file)) packed.update(chunk as Buffer);
  for await (const chunk of createReadStream(file).pipe(createGunzip())) plain.update(chunk as Buffer);
  const hex = packed.digest('hex');
  const { size } = statSync(file);
  run('mv', [file, join(blobs, hex)], { cwd: blobs });
  const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip';
  return { blob: { mediaType, digest: `sha256:${hex}`, size }, diffId: `sha256:${plain.digest('hex')}` };
}

function addJson(blobs: string, mediaType: string, value: object): Blob {
  const text = JSON.stringify(value);
  const hex = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(blobs, hex), text);
  return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
}
