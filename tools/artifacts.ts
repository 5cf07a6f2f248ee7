/**
 * `npm run artifacts [-- --commit REVISION] [--only NAME,...] [--out FOLDER]`: makes the files of a release from a commit (default HEAD) into a
 * folder (default dist), which it empties first: `npm` (the package, always), `linux-x64`, `linux-arm64` (tarballs that need nothing installed),
 * `darwin-arm64` (needs Node.js), `sbom` (bill of materials), `dockerfile` (builds the image from the tarballs). SHA256SUMS lists them. Two runs on one
 * commit give the same bytes. `oci`, only when it is named, adds an image for x64 as an OCI layout, from Debian packages of the day.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { billOfMaterials, componentsOf } from './release/components.ts';
import { releaseDockerfile } from './release/image-file.ts';
import { readManifest } from './release/manifest.ts';
import { writeOciLayout } from './release/oci-layout.ts';
import { ARTIFACT_KINDS, assemble, TARGETS, topOf } from './release/platforms.ts';
import { checkOut, packTree, type SourceTree } from './release/source-tree.ts';
import { type TarEntry, writeTarGz } from './release/tar.ts';

const CHECKSUMS = 'SHA256SUMS';

/** Only when it is named: it needs a Debian system, and the versions of its packages are those of the day. */
const OCI = 'oci';
const OCI_TARGET = 'linux-x64';

interface ArtifactOptions {
  readonly root: string;
  readonly revision: string;
  /** Of ARTIFACT_KINDS. */
  readonly only: readonly string[];
  readonly out: string;
}

/**
 * Makes the files of a release.
 * @returns their names in `out`
 * @throws CommandFailed, Error: what could not be made; `out` then has a part of them
 */
export async function makeArtifacts({ root, revision, only, out }: ArtifactOptions): Promise<readonly string[]> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const tree = checkOut(root, revision);
  try {
    const { files } = packTree(tree, out);
    for (const target of TARGETS.filter(({ name }) => only.includes(name))) {
      const { entries, remove } = assemble(tree, files, target);
      try {
        const name = topOf(readManifest(tree.folder).version, target);
        await writeTarGz(join(out, `${name}.tar.gz`), entries, tree.time);
        if (only.includes(OCI) && target.name === OCI_TARGET) await writeImage(tree, { entries, top: name }, out);
      } finally {
        remove();
      }
    }
    writeTexts(tree, only, out);
    const found = readdirSync(out, { withFileTypes: true });
    const names = found.map(entry => (entry.isFile() ? entry.name : `${entry.name}/index.json`)).toSorted();
    const sums = await Promise.all(names.map(async name => `${await sha256(join(out, name))}  ${name}\n`));
    writeFileSync(join(out, CHECKSUMS), sums.join(''));
    return [...names, CHECKSUMS];
  } finally {
    rmSync(tree.folder, { recursive: true, force: true });
  }
}

/** The image is a folder beside the other files; SHA256SUMS has its index, which names everything in it by digest. */
async function writeImage(
  { folder, time }: SourceTree,
  program: { readonly entries: readonly TarEntry[]; readonly top: string },
  out: string,
): Promise<void> {
  const { version } = readManifest(folder);
  const dockerfile = releaseDockerfile(readFileSync(join(folder, 'Dockerfile'), 'utf8'), version);
  const image = join(out, `stacks-index-${version}-oci`);
  const packages = await writeOciLayout({ ...program, dockerfile, version, time, out: image });
  writeFileSync(join(out, `stacks-index-${version}-oci.packages`), `${packages.join('\n')}\n`);
}

function writeTexts({ folder, time }: SourceTree, only: readonly string[], out: string): void {
  const manifest = readManifest(folder);
  if (only.includes('sbom'))
    writeFileSync(
      join(out, `stacks-index-${manifest.version}.cdx.json`),
      billOfMaterials(manifest, componentsOf(folder), time),
    );
  if (only.includes('dockerfile'))
    writeFileSync(
      join(out, 'Dockerfile'),
      releaseDockerfile(readFileSync(join(folder, 'Dockerfile'), 'utf8'), manifest.version),
    );
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      commit: { type: 'string', default: 'HEAD' },
      only: { type: 'string', default: ARTIFACT_KINDS.join(',') },
      out: { type: 'string', default: 'dist' },
    },
  });
  const only = values.only.split(',');
  const kinds = [...ARTIFACT_KINDS, OCI];
  const unknown = only.filter(kind => !kinds.includes(kind));
  if (only.includes(OCI) && !only.includes(OCI_TARGET)) throw new Error(`${OCI} needs ${OCI_TARGET}`);
  if (unknown.length > 0) throw new Error(`--only ${unknown.join()}: it must be of ${kinds.join(', ')}`);
  const root = join(import.meta.dirname, '..');
  const out = resolve(values.out);
  const names = await makeArtifacts({ root, revision: values.commit, only, out });
  for (const name of names)
    console.log(`${basename(out)}/${name}  ${(statSync(join(out, name)).size / 1e6).toFixed(1)} MB`);
}

if (import.meta.main)
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
