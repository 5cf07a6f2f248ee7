import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { scale } from '../../test/support/scale.ts';
import { releaseDockerfile } from './image-file.ts';
import { imageSettings } from './image-settings.ts';
import { writeOciLayout } from './oci-layout.ts';

const root = join(import.meta.dirname, '../..');
const dockerfile = releaseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'), '7.8.9');

test('an image without Docker has the settings of the Dockerfile', () => {
  const settings = imageSettings(dockerfile);
  assert.deepEqual(
    [settings.User, settings.Entrypoint, settings.Cmd, settings.WorkingDir, settings.StopSignal],
    ['1000:1000', ['stacks-index'], ['serve'], '/app', 'SIGTERM'],
  );
  assert.deepEqual([settings.ExposedPorts, settings.Volumes], [{ '3999/tcp': {}, '3700/tcp': {} }, { '/data': {} }]);
  assert.ok(settings.Env.includes('STACKS_BLOCKCHAIN_API_HOST=0.0.0.0'));
  assert.ok(settings.Env.some(value => value.startsWith('PATH=/app/bin:/app/runtime:/usr/local/sbin:')));
  assert.equal(settings.Env.length, dockerfile.match(/^ENV [\s\S]*?[^\\]$/m)?.[0].split('\n').length);
  const { 'org.opencontainers.image.title': title, ...labels } = settings.Labels;
  assert.equal(title, 'stacks-index');
  assert.equal(Object.keys(labels).length, 6);
  assert.throws(() => imageSettings('\nFROM scratch\n'), /has no USER/);
});

interface Named {
  readonly digest: string;
  readonly size: number;
}

test('an OCI layout has everything below its index by digest, and a user and folders that fit the settings', async t => {
  if (scale === 'short') return t.skip('npm run test:all fetches Debian packages');
  if (spawnSync('apt-get', ['--version']).error) return t.skip('not installed: apt-get');
  const out = mkdtempSync(join(tmpdir(), 'stacks-oci-test-'));
  t.after(() => rmSync(out, { recursive: true }));
  const entries = [
    { path: 'top', content: { kind: 'folder' } },
    { path: 'top/note', content: { kind: 'text', text: 'a note', isExecutable: false } },
  ] as const;
  const packages = await writeOciLayout({ dockerfile, entries, top: 'top', version: '7.8.9', time: 86400, out });
  assert.ok(
    packages.some(name => name.startsWith('libc6 ')),
    packages.join(),
  );
  const blob = ({ digest, size }: Named): Buffer => {
    const bytes = readFileSync(join(out, 'blobs/sha256', digest.replace('sha256:', '')));
    assert.deepEqual([`sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes.length], [digest, size]);
    return bytes;
  };
  const index = JSON.parse(readFileSync(join(out, 'index.json'), 'utf8'));
  const manifest = JSON.parse(String(blob(index.manifests[0])));
  const config = JSON.parse(String(blob(manifest.config)));
  assert.equal(config.config.User, '1000:1000');
  const layers: readonly Buffer[] = manifest.layers.map(blob).map((bytes: Buffer) => gunzipSync(bytes));
  assert.deepEqual(
    layers.map(bytes => `sha256:${createHash('sha256').update(bytes).digest('hex')}`),
    config.rootfs.diff_ids,
  );
  const listed = layers.map(input => execFileSync('tar', ['-tv'], { input, encoding: 'utf8' })).join('');
  assert.match(listed, /^drwxr-xr-x 1000\/1000 .* data$/m);
  assert.match(listed, /^drwxrwxrwt 0\/0 .* tmp$/m);
  assert.match(listed, /^-rw-r--r-- 0\/0 .* app\/note$/m);
  for (const name of ['usr/bin/sh -> busybox', 'etc/ssl/certs/ca-certificates.crt', 'lib -> usr/lib'])
    assert.ok(listed.includes(` ${name}\n`), name);
});
