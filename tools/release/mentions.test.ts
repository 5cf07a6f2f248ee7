import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readManifest, repositoryPage } from './manifest.ts';
import { mentionsOf, staleMentions, writeMentions } from './mentions.ts';

const root = join(import.meta.dirname, '../..');
const manifest = readManifest(root);

test('every place that repeats the version or the repository of package.json has it', () => {
  assert.deepEqual(staleMentions(root, manifest), [], 'run npm run docs:package');
});

test('the repository is one value of package.json: all that follows from it is written anew', t => {
  const copy = mkdtempSync(join(tmpdir(), 'stacks-mentions-'));
  t.after(() => rmSync(copy, { recursive: true }));
  const files = new Set(mentionsOf(manifest).map(({ file }) => file));
  for (const file of files) cpSync(join(root, file), join(copy, dirname(file), file.split('/').at(-1) ?? ''));
  const moved = {
    ...manifest,
    name: '@elsewhere/index',
    version: '7.8.9',
    repository: { type: 'git', url: 'git+https://code.example.org/a/b.git' },
  } as const;
  const stale = staleMentions(copy, moved);
  // The host stands in these places and in no other.
  const host = new URL(repositoryPage(manifest)).host;
  const ofHost = mentionsOf(manifest).filter(({ expected }) => expected.includes(host));
  assert.equal(ofHost.length, 9);
  assert.ok(stale.length > 15, stale.join('\n'));
  assert.deepEqual(new Set(writeMentions(copy, moved)), files);
  assert.deepEqual(staleMentions(copy, moved), []);
  for (const file of files) {
    const left = readFileSync(join(copy, file), 'utf8')
      .split('\n')
      .filter(line => line.includes(host));
    assert.deepEqual(
      left.filter(line => !line.includes('"url": "git+')),
      [],
      file,
    );
  }
});

test('a repository that is no page of a host is refused', () => {
  const page = (url: string) => repositoryPage({ repository: { type: 'git', url } });
  assert.equal(page('git+https://h.example/o/n.git'), 'https://h.example/o/n');
  for (const url of ['https://h.example/o/n.git', 'git+https://h.example.git', 'git+ssh://h.example/o/n.git', ''])
    assert.throws(() => page(url), /must be git\+https/, url);
});
