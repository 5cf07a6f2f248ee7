import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SCHEMA_VERSION } from '../../src/operate/storage/chain-binding.ts';
import { changelogProblems, releaseChangelog, sectionsOf } from './changelog.ts';
import { readManifest } from './manifest.ts';
import {
  isLater,
  nextVersion,
  RELEASES,
  readReleases,
  SCHEMA_FILES,
  schemaNumberIn,
  writeReleases,
} from './releases.ts';

const root = join(import.meta.dirname, '../..');
const releases = readReleases(root);
const last = releases.at(-1);
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

/** A file as it was in a commit; undefined where it, or the commit, is missing. */
function fileAt(commit: string, file: string): string | undefined {
  const { status, stdout } = spawnSync('git', ['show', `${commit}:${file}`], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

test('the commit of each release has the schema number that the list of releases gives it', t => {
  const missing = releases.filter(({ commit }) => spawnSync('git', ['cat-file', '-e', commit], { cwd: root }).status);
  if (missing.length > 0) return t.skip('the history is not here');
  for (const { version, commit, schema } of releases) {
    const source = SCHEMA_FILES.map(file => fileAt(commit, file)).find(text => text !== undefined);
    assert.equal(schemaNumberIn(source ?? ''), schema, version);
  }
});

test('the changelog has a section for each release, and says first what a new index it needs', () => {
  assert.ok(last);
  assert.deepEqual(
    sectionsOf(changelog).map(({ version, date }) => [version, date]),
    [['Unreleased', undefined], ...releases.toReversed().map(({ version, date }) => [version, date])],
  );
  const entry = changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- an entry\n');
  assert.deepEqual(changelogProblems(entry, SCHEMA_VERSION, last), []);
});

test('the version of a checkout is that of its release, or the one to come', () => {
  assert.ok(last);
  const { version } = readManifest(root);
  assert.ok(version === last.version || isLater(version.replace(/-dev$/, ''), last.version), version);
});

const V1 = { version: '1.0.0', date: '2030-01-01', commit: 'c', schema: 5 };
const LOG = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a\n\n## [1.0.0] - 2030-01-01\n\nFirst.\n';

test('a changelog hinders a release: without entries, with another last release, or about the index', () => {
  assert.deepEqual(changelogProblems(LOG, 5, V1), []);
  const problem = (text: string, schema = 5) => changelogProblems(text, schema, V1).join();
  assert.match(problem(LOG, 6), /must begin with "Needs a new index: schema number 6, that of 1.0.0 is 5."/);
  const stated = LOG.replace('### Added', 'Needs a new index: schema number 6, that of 1.0.0 is 5.\n\n### Added');
  assert.equal(problem(stated, 6), '');
  assert.match(problem(stated, 7), /must begin with "Needs a new index: schema number 7/);
  assert.match(problem(stated), /must not begin with/);
  assert.match(problem(LOG.replace('- a\n', '')), /has no entry/);
  assert.match(problem(LOG.replace('2030', '2029')), /must be \[1.0.0\] - 2030-01-01/);
  assert.match(problem(LOG.replace('[Unreleased]', '[1.1.0]')), /does not begin/);
});

test('a release takes what was not released, and leaves an empty section', () => {
  const after = sectionsOf(releaseChangelog(LOG, '1.1.0', '2030-02-02'));
  assert.deepEqual(after, [
    { version: 'Unreleased', date: undefined, text: '' },
    { version: '1.1.0', date: '2030-02-02', text: '### Added\n\n- a' },
    { version: '1.0.0', date: '2030-01-01', text: 'First.' },
  ]);
});

test('versions are compared by their numbers', () => {
  for (const [version, than] of [
    ['0.10.0', '0.9.9'],
    ['1.0.0', '0.9.9'],
    ['0.1.1', '0.1.0'],
  ] as const) {
    assert.ok(isLater(version, than));
    assert.ok(!isLater(than, version));
  }
  for (const version of ['0.1.0', '0.2', 'v0.2.0', '0.2.0-dev', '']) assert.ok(!isLater(version, '0.1.0'), version);
  assert.equal(nextVersion('0.9.3'), '0.10.0-dev');
});

test('the list of releases is read as it was written', t => {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-releases-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeReleases(folder, [V1, { ...V1, version: '1.1.0' }]);
  assert.deepEqual(readReleases(folder), [V1, { ...V1, version: '1.1.0' }]);
  writeReleases(folder, releases);
  assert.equal(readFileSync(join(folder, RELEASES), 'utf8'), readFileSync(join(root, RELEASES), 'utf8'));
});
