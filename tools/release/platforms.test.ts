import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { billOfMaterials, componentsOf, licencesText } from './components.ts';
import { releaseDockerfile } from './image-file.ts';
import { readManifest } from './manifest.ts';
import { NODE_VERSION, TARGETS } from './platforms.ts';

const root = join(import.meta.dirname, '../..');
const manifest = readManifest(root);
const all = componentsOf(root);
const namesOf = (of: readonly { readonly name: string }[]) => of.map(({ name }) => name);

test('the tarballs have the Node.js that the tests run on', () => {
  assert.equal(NODE_VERSION, readFileSync(join(root, '.nvmrc'), 'utf8').trim());
});

test('a tarball has the native modules of its platform alone, and no package of the tests', () => {
  const native = (names: readonly string[]) => names.filter(name => /^@img\/sharp-(?!wasm)/.test(name));
  for (const target of TARGETS) {
    const names = namesOf(componentsOf(root, target));
    assert.deepEqual(native(names), [`@img/sharp-libvips-${target.name}`, `@img/sharp-${target.name}`].toSorted());
    for (const name of ['fastify', 'pg', 'ws']) assert.ok(names.includes(name), name);
    for (const name of ['typescript', 'fast-check', 'node']) assert.ok(!names.includes(name), name);
  }
  assert.ok(native(namesOf(all)).length > 10);
});

test('every package has a licence and a digest', () => {
  assert.deepEqual(
    all.filter(({ license, integrity }) => license === 'unknown' || !integrity.startsWith('sha512-')),
    [],
  );
  const text = licencesText(manifest, all, NODE_VERSION);
  for (const { name, version } of all) assert.ok(text.includes(`${name} ${version}: `), name);
});

test('the bill of materials names every package by its digest, and follows from the lock file and the commit', () => {
  const text = billOfMaterials(manifest, all, 86400);
  assert.equal(text, billOfMaterials(manifest, all, 86400));
  const bill = JSON.parse(text);
  assert.equal(bill.metadata.component.purl, `pkg:npm/%40stacks-index/server@${manifest.version}`);
  assert.equal(bill.metadata.timestamp, '1970-01-02T00:00:00.000Z');
  assert.match(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(namesOf(bill.components), namesOf(all));
  for (const { hashes } of bill.components) assert.match(hashes[0].content, /^[0-9a-f]{128}$/);
  assert.notEqual(JSON.parse(billOfMaterials(manifest, all.slice(1), 86400)).serialNumber, bill.serialNumber);
});

test('the image of a release has the settings of the image of a checkout, and its files from the tarballs', () => {
  const checkout = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const lines = releaseDockerfile(checkout, '7.8.9').split('\n');
  const settings = (of: readonly string[]) =>
    of.filter(line => /^(USER|VOLUME|EXPOSE|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD|LABEL)/.test(line));
  assert.deepEqual(settings(lines), settings(checkout.split('\n')));
  assert.ok(settings(lines).length >= 8);
  assert.deepEqual(
    lines.filter(line => /^(FROM|ADD|COPY)/.test(line)),
    [
      'FROM $' + '{BASE} AS unpacked',
      'ADD stacks-index-7.8.9-linux-*.tar.gz /',
      'FROM $' + '{BASE}',
      'COPY --from=unpacked /app /app',
    ],
  );
  const names = TARGETS.filter(({ os }) => os === 'linux').map(({ name }) => name.replace('linux-', ''));
  const kinds = [...lines.join('\n').matchAll(/\bkind=(\w+)/g)].map(([, kind]) => kind);
  assert.deepEqual(kinds, names, 'one for each tarball for Linux');
  assert.throws(() => releaseDockerfile('FROM scratch\n', '1.0.0'), /another form/);
});
