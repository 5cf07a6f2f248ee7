/** The workflows of the hosted CI: they can be parsed, and each step runs a script that also runs without the host. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = '.github/workflows';
const NAMES = readdirSync(join(ROOT, FOLDER)).toSorted();
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>>;
}

const workflows: readonly (readonly [name: string, workflow: Workflow])[] = NAMES.map(name => [
  name,
  parse(read(`${FOLDER}/${name}`)) as Workflow,
]);

/** The parser of the host, from its package. */
async function loadParser() {
  // The package imports JSON as bundlers do.
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
  });
  const { parseWorkflow } = await import('@actions/workflow-parser/workflows/workflow-parser');
  hooks.deregister();
  const trace = { info: () => {}, error: () => {}, verbose: () => {} };
  return (content: string): readonly string[] =>
    parseWorkflow({ name: 'workflow', content }, trace)
      .context.errors.getErrors()
      .map(({ message }) => message);
}

test('the host accepts every workflow: known members, expressions that can be read', async () => {
  const problems = await loadParser();
  for (const name of NAMES) assert.deepEqual(problems(read(`${FOLDER}/${name}`)), [], name);
  const [name = ''] = NAMES;
  const text = read(`${FOLDER}/${name}`);
  assert.notDeepEqual(problems(text.replace('runs-on:', 'run-on:')), []);
  assert.notDeepEqual(problems(text.replace('runs-on: ubuntu', 'runs-on: $' + '{{ githb.ref }} #')), []);
});

test('a step runs a script of the repository, or an action that moves files and credentials', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const steps = workflows.flatMap(([, { jobs }]) => Object.values(jobs).flatMap(job => job.steps));
  assert.ok(steps.length > 15, `only ${steps.length} steps`);
  for (const { run, uses } of steps) {
    if (uses !== undefined) {
      assert.match(uses, /^(actions|docker|sigstore)\/[\w-]+@v\d+$/);
      continue;
    }
    const [, file, script] = /^(?:bash (\.ci\/[\w-]+)(?: [a-z]+)?|npm run ([\w:]+))$/.exec(run ?? '') ?? [];
    assert.ok(file !== undefined || script !== undefined, run);
    if (file !== undefined) assert.ok((statSync(join(ROOT, file)).mode & 0o100) !== 0, file);
    if (script !== undefined) assert.ok(scripts[script] !== undefined, script);
  }
});

test('a workflow may read the repository unless a job says more, and every job ends', () => {
  for (const [name, { permissions, jobs }] of workflows) {
    assert.deepEqual(permissions, { contents: 'read' }, name);
    for (const [job, of] of Object.entries(jobs)) assert.ok((of['timeout-minutes'] ?? 0) > 0, `${name}: ${job}`);
  }
});

/** A folder with what .ci/release reads, in which nothing leaves the machine. */
function released(t: TestContext, version: string) {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-publish-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['.ci', 'dist']) mkdirSync(join(folder, name));
  cpSync(join(ROOT, '.ci/release'), join(folder, '.ci/release'));
  writeFileSync(join(folder, 'package.json'), `{\n  "name": "x",\n  "version": "${version}",\n  "license": "MIT"\n}\n`);
  writeFileSync(join(folder, 'dist/file'), 'made');
  spawnSync('bash', ['-c', 'sha256sum file > SHA256SUMS'], { cwd: join(folder, 'dist') });
  return (step: string, env: Readonly<Record<string, string>> = {}) => {
    const { status, stdout, stderr } = spawnSync('bash', ['.ci/release', step], {
      cwd: folder,
      env: { PATH: process.env.PATH, DRY_RUN: '1', ...env },
      encoding: 'utf8',
    });
    return { status, stdout, stderr, damage: () => writeFileSync(join(folder, 'dist/file'), 'other') };
  };
}

test('a release is published by its checked files: the package with provenance, the image by digest', t => {
  const publish = released(t, '7.8.9');
  const npm = publish('npm');
  assert.equal(npm.stdout, '+ npm publish --provenance ./dist/stacks-index-server-7.8.9.tgz\n', npm.stderr);
  const image = { IMAGE: 'registry.example/x', BASE_IMAGE: `base@sha256:${'0'.repeat(64)}` };
  const { status, stdout, stderr } = publish('image', image);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /--build-arg BASE=base@sha256:0+ .*--tag registry\.example\/x:7\.8\.9 .*--push dist/);
  assert.match(stdout, /cosign sign --yes registry\.example\/x@/);
  assert.match(publish('image', { ...image, BASE_IMAGE: 'base:latest' }).stderr, /by digest/);
  assert.equal(publish('other').status, 1);
  npm.damage();
  assert.notEqual(publish('npm').status, 0);
});

test('what is no release is not made', t => {
  assert.match(released(t, '7.8.9-dev')('files').stderr, /none of a release/);
});

test('a public registry is named in workflows and files of packages only, so that a fork or a mirror changes these', () => {
  const registries = 'registry[.]npmjs|npmjs[.]com|ghcr[.]io|docker[.]io|quay[.]io|gcr[.]io';
  const allowed = [':!.github/workflows', ':!package.json', ':!package-lock.json'];
  const { stdout, stderr } = spawnSync(
    'git',
    ['grep', '--no-index', '--exclude-standard', '-InE', registries, '--', '.', ...allowed],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  assert.equal(stdout + stderr, '');
});
