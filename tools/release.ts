/**
 * `npm run release -- VERSION [--check] [--without-tests]`: makes a release of the checkout. It checks what must hold, runs what CI runs, sets the version,
 * commits, makes the files of the release in dist/, tags, records the release, and sets the version to come. Nothing leaves the machine: the last lines
 * print the push that publishes.
 *
 *   --check           only checks, and runs nothing
 *   --without-tests   trusts an earlier run of .ci/run on this commit
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SCHEMA_VERSION } from '../src/operate/storage/chain-binding.ts';
import { makeArtifacts } from './artifacts.ts';
import { changelogProblems, releaseChangelog } from './release/changelog.ts';
import { CommandFailed, git, run } from './release/commands.ts';
import { readManifest, repositoryPage, UNKNOWN_HOST } from './release/manifest.ts';
import { staleMentions, writeMentions } from './release/mentions.ts';
import { ARTIFACT_KINDS } from './release/platforms.ts';
import { isLater, nextVersion, type Release, readReleases, writeReleases } from './release/releases.ts';

const root = join(import.meta.dirname, '..');
const CHANGELOG = join(root, 'CHANGELOG.md');
const BRANCH = 'main';

/** What hinders a release of this checkout, a line each. */
function problemsOf(version: string, last: Release): readonly string[] {
  const changes = git(root, 'status', '--porcelain')
    .split('\n')
    .filter(line => line !== '');
  const branch = git(root, 'rev-parse', '--abbrev-ref', 'HEAD');
  return [
    ...(isLater(version, last.version) ? [] : [`${version} must be three numbers above ${last.version}`]),
    ...(branch === BRANCH ? [] : [`the branch is ${branch}, not ${BRANCH}`]),
    ...(changes.length === 0 ? [] : [`${changes.length} files differ from the commit: ${changes[0]?.slice(3)} ...`]),
    ...(git(root, 'tag', '--list', `v${version}`) === '' ? [] : [`the tag v${version} exists`]),
    ...changelogProblems(readFileSync(CHANGELOG, 'utf8'), SCHEMA_VERSION, last),
    ...staleMentions(root, readManifest(root)).map(place => `${place} (npm run docs:package)`),
  ];
}

/** Sets the version in package.json and in every place that repeats it, and commits. @returns the commit */
function commitVersion(version: string, subject: string): string {
  const manifest = readManifest(root);
  const file = join(root, 'package.json');
  const text = readFileSync(file, 'utf8').replace(`"version": "${manifest.version}"`, `"version": "${version}"`);
  writeFileSync(file, text);
  writeMentions(root, { ...manifest, version });
  git(root, 'commit', '--quiet', '--all', '--message', subject);
  return git(root, 'rev-parse', 'HEAD');
}

async function release(version: string, last: Release): Promise<void> {
  const date = new Date().toISOString().slice(0, 10);
  const before = git(root, 'rev-parse', 'HEAD');
  writeFileSync(CHANGELOG, releaseChangelog(readFileSync(CHANGELOG, 'utf8'), version, date));
  const commit = commitVersion(version, `release: version ${version}`);
  try {
    const names = await makeArtifacts({ root, revision: commit, only: ARTIFACT_KINDS, out: join(root, 'dist') });
    for (const name of names) console.log(`dist/${name}`);
  } catch (error) {
    console.error(
      `\nThe version is committed, but its files could not be made. Go back with: git reset --hard ${before}`,
    );
    throw error;
  }
  git(root, 'tag', '--annotate', `v${version}`, '--message', `stacks-index ${version}`, commit);
  writeReleases(root, [...readReleases(root), { version, date, commit, schema: SCHEMA_VERSION }]);
  const next = nextVersion(version);
  commitVersion(next, `release: record ${version}, go on as ${next}`);
  console.log(`\n${version} is tagged (schema number ${SCHEMA_VERSION}, before ${last.schema}). Publish it with:`);
  console.log(`    git push --atomic origin ${BRANCH} v${version}`);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean', default: false }, 'without-tests': { type: 'boolean', default: false } },
  });
  const [version] = positionals;
  const last = readReleases(root).at(-1);
  if (version === undefined || positionals.length > 1 || last === undefined) {
    console.error('usage: npm run release -- VERSION [--check] [--without-tests]');
    return 2;
  }
  if (new URL(repositoryPage(readManifest(root))).host === UNKNOWN_HOST)
    console.warn(
      `package.json: repository.url still names ${UNKNOWN_HOST}. Fill in the host, then npm run docs:package`,
    );
  const problems = problemsOf(version, last);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  if (values.check) return 0;
  if (!values['without-tests']) run('bash', ['.ci/run'], { cwd: root, isShown: true });
  await release(version, last);
  return 0;
}

main().then(
  status => {
    process.exitCode = status;
  },
  (error: unknown) => {
    console.error(error instanceof CommandFailed || !(error instanceof Error) ? String(error) : error.stack);
    process.exitCode = 1;
  },
);
