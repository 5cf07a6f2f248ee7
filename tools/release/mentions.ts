/**
 * The places outside package.json that repeat its version and repository. package.json is the source: `npm run docs:package` writes the others, and
 * a test compares them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, repositoryPage } from './manifest.ts';

/** A place whose text follows from package.json. */
export interface Mention {
  /** From the root of the repository. */
  readonly file: string;
  /** What stands around the text, which is the group `text`. Every match is such a place, and there is at least one. */
  readonly pattern: RegExp;
  readonly expected: string;
}

const VERSION = String.raw`(?<text>\d+\.\d+\.\d+(?:-[\w.]+)?)`;
const PAGE = String.raw`(?<text>https:\/\/[^\s/]+(?:\/[\w.-]+)+?)`;

const IMAGES = [
  'deploy/README.md',
  'deploy/compose/compose.yaml',
  'deploy/compose/single.yaml',
  'deploy/kubernetes/api.yaml',
  'deploy/kubernetes/writer.yaml',
  'deploy/kubernetes/optional/reindex-job.yaml',
];

/** Where the code of a version is: at its tag, and that of a version to come on the main branch. */
const refOf = (version: string): string => (version.includes('-') ? 'main' : `v${version}`);

/** Every place that follows from package.json. */
export function mentionsOf(manifest: Manifest): readonly Mention[] {
  const { name, version, description, license } = manifest;
  const page = repositoryPage(manifest);
  const label = (of: string, expected: string): Mention => ({
    file: 'Dockerfile',
    pattern: new RegExp(`org\\.opencontainers\\.image\\.${of}="(?<text>[^"]*)"`),
    expected,
  });
  return [
    { file: 'package.json', pattern: /"homepage": "(?<text>[^"]*)"/, expected: `${page}#readme` },
    { file: 'package.json', pattern: /"bugs": "(?<text>[^"]*)"/, expected: `${page}/issues` },
    { file: 'package-lock.json', pattern: /^ {2}"name": "(?<text>[^"]*)"/m, expected: name },
    { file: 'package-lock.json', pattern: /^ {4}"": \{\n {6}"name": "(?<text>[^"]*)"/m, expected: name },
    { file: 'package-lock.json', pattern: /^ {2}"version": "(?<text>[^"]*)"/m, expected: version },
    { file: 'package-lock.json', pattern: /^ {4}"": \{\n.*\n {6}"version": "(?<text>[^"]*)"/m, expected: version },
    ...IMAGES.map(file => ({ file, pattern: new RegExp(`stacks-index:${VERSION}`, 'g'), expected: version })),
    { file: 'deploy/kubernetes/kustomization.yaml', pattern: new RegExp(`newTag: ${VERSION}`), expected: version },
    label('description', description),
    label('licenses', license),
    label('version', version),
    label('source', page),
    label('url', page),
    label('documentation', `${page}/blob/${refOf(version)}/docs/README.md`),
    { file: 'README.md', pattern: new RegExp(`\\[Source\\]\\(${PAGE}\\)`), expected: page },
    { file: 'README.md', pattern: new RegExp(`\\[problems\\]\\(${PAGE}/issues\\)`), expected: page },
    {
      file: '.github/ISSUE_TEMPLATE/config.yml',
      pattern: new RegExp(`url: ${PAGE}/security/advisories/new`),
      expected: page,
    },
    { file: 'SECURITY.md', pattern: new RegExp(`\\(${PAGE}/security/advisories/new\\)`), expected: page },
  ];
}

interface Found extends Mention {
  readonly text: string;
  /** In the file, in characters; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** What stands at each place. @throws Error for a pattern without a match: the place has moved */
function findMentions(content: string, mention: Mention): readonly Found[] {
  const { pattern } = mention;
  const matches = content.matchAll(new RegExp(pattern, `${pattern.flags.replaceAll(/[dg]/g, '')}dg`));
  const found = Array.from(matches, ({ groups, indices }) => {
    const [start, end] = indices?.groups?.text ?? [0, 0];
    return { ...mention, text: groups?.text ?? '', start, end };
  });
  if (found.length === 0) throw new Error(`${mention.file} has no ${pattern}`);
  return found;
}

/**
 * The places that differ from package.json, as lines for people.
 * @throws Error for a place that has moved
 */
export const staleMentions = (root: string, manifest: Manifest): readonly string[] =>
  mentionsOf(manifest)
    .flatMap(mention => findMentions(readFileSync(join(root, mention.file), 'utf8'), mention))
    .filter(({ text, expected }) => text !== expected)
    .map(({ file, text, expected }) => `${file}: ${text} must be ${expected}`);

/**
 * Writes what follows from package.json into its places.
 * @returns the files that changed
 * @throws Error for a place that has moved
 */
export function writeMentions(root: string, manifest: Manifest): readonly string[] {
  const changed = new Set<string>();
  for (const mention of mentionsOf(manifest)) {
    const path = join(root, mention.file);
    const before = readFileSync(path, 'utf8');
    const after = findMentions(before, mention).reduceRight(
      (text, { start, end, expected }) => text.slice(0, start) + expected + text.slice(end),
      before,
    );
    if (after === before) continue;
    writeFileSync(path, after);
    changed.add(mention.file);
  }
  return [...changed];
}
