import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scale } from '../../test/support/scale.ts';
import { readManifest } from './manifest.ts';
import { linksOf, withOutsideLinks } from './package-links.ts';
import { checkOut, packTree } from './source-tree.ts';

const root = join(import.meta.dirname, '../..');

/** What package.json lists, with what is below its folders; npm adds some files of the root. The longer test compares it with what npm packs. */
function listedFiles(folder: string): readonly string[] {
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const below = (path: string): readonly string[] =>
    existsSync(join(folder, path)) && statSync(join(folder, path)).isDirectory()
      ? readdirSync(join(folder, path), { recursive: true, withFileTypes: true })
          .filter(entry => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
      : [path];
  return ['LICENSE', 'README.md', 'package.json', ...files.flatMap(below)]
    .filter(path => !path.endsWith('.gitignore'))
    .toSorted();
}

const files = listedFiles(root);

test('the package has the program, the chain of the demo, deployment files and licences, and nothing of the tests', () => {
  for (const file of [
    'bin/stacks-index',
    'examples/sample-chain.tsv.gz',
    'LICENSE',
    'lib/index.js',
    'deploy/README.md',
  ])
    assert.ok(files.includes(file), file);
  assert.deepEqual(
    files.filter(file => /^(src|tools|test\/(?!README\.md|skipped\.txt)|bench\/(?!README\.md|notes\/))/.test(file)),
    [],
  );
});

test('every document that a page of the package links to is in the package', () => {
  const pages = files.filter(file => file.endsWith('.md'));
  assert.ok(pages.length > 30, `only ${pages.length} pages`);
  const links = pages.flatMap(page =>
    linksOf(page, readFileSync(join(root, page), 'utf8')).map(({ file }) => ({ page, file })),
  );
  assert.ok(links.length > 300, `only ${links.length} links`);
  const isDocument = (file: string) => /\.(md|png|svg|txt)$/.test(file);
  assert.deepEqual(
    links.filter(({ file }) => isDocument(file) && !files.includes(file)),
    [],
  );
});

test('a link to what the package lacks leads to the repository, with its heading', () => {
  const page = 'See [a](../src/a.ts), [b](b.md#x), [c](../src/), [d](#d) and [e](https://e.example/src/a.ts).\n';
  const rewritten = withOutsideLinks(
    'pages/p.md',
    page,
    file => /^pages/.test(file),
    file => `https://h/blob/1/${file}`,
  );
  assert.equal(
    rewritten,
    'See [a](https://h/blob/1/src/a.ts), [b](b.md#x), [c](https://h/blob/1/src), [d](#d) and [e](https://e.example/src/a.ts).\n',
  );
});

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the package installs in an empty folder, and its program loads and checks the chain of the demo', t => {
  if (scale === 'short') return t.skip('npm run test:all installs the package');
  const folder = temporary(t);
  const tree = checkOut(root, 'HEAD');
  t.after(() => rmSync(tree.folder, { recursive: true, force: true }));
  const { tarball, files: packed } = packTree(tree, folder);
  assert.deepEqual(packed, listedFiles(tree.folder));
  // The Node.js of the tests, as that of the machine may be older.
  const env = { ...process.env, PATH: `${join(root, 'node_modules/node/bin')}:${process.env.PATH}` };
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, env, encoding: 'utf8' });
  run('npm', 'install', '--global', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', tarball);
  const program = join(folder, 'bin/stacks-index');
  const { name, version } = readManifest(tree.folder);
  assert.equal(run(program, '--version').trim(), `stacks-index ${version}`);
  const sample = join(folder, 'lib/node_modules', name, 'examples/sample-chain.tsv.gz');
  run(program, 'replay', sample, '--data', join(folder, 'data'), '--chain-id', '0x80000000');
  assert.match(run(program, 'verify', '--data', join(folder, 'data')), /^sound: /m);
  const npx = run('npx', '--yes', '--offline', '--package', tarball, 'stacks-index', '--version');
  assert.equal(npx.trim(), `stacks-index ${version}`);
  assert.ok(existsSync(join(folder, 'lib/node_modules', name, 'docs/README.md')));
});
