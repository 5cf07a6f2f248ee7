/**
 * The files of deploy/ name the options, metrics and ports of the program. This test fails when one of these is
 * renamed.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parseSubnet } from '../src/base/net/client-address.ts';
import { variablesOf } from '../src/cli/options/option-spec.ts';
import { ALL_OPTIONS, OPTIONS } from '../src/cli/options/option-table.ts';
import { VERSION } from '../src/cli/version.ts';
import { rebuildMetrics } from '../src/cli/wait-for-rebuild.ts';
import { createMetrics } from '../src/operate/metrics/metrics.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Every file of a deployment with its text. */
const files: readonly (readonly [path: string, text: string])[] = [
  'Dockerfile',
  'bin/healthcheck.mjs',
  ...readdirSync(join(ROOT, 'deploy'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
    // What an operator has filled in is no file of ours.
    .filter(path => !/\/(\.env|secret\.yaml)$/.test(path)),
].map(path => [path, read(path)]);

interface Found {
  readonly path: string;
  readonly name: string;
}

/** What the first group of the pattern matches, in the files whose path fits. */
function found(pattern: RegExp, where = /./): Found[] {
  return files
    .filter(([path]) => where.test(path))
    .flatMap(([path, text]) => Array.from(text.matchAll(pattern), match => ({ path, name: match[1] ?? '' })));
}

/** @param least a pattern that finds less has gone blind */
function assertKnown(names: readonly Found[], known: ReadonlySet<string>, least: number): void {
  assert.ok(names.length >= least, `only ${names.length} found`);
  assert.deepEqual(
    names.filter(({ name }) => !known.has(name)),
    [],
  );
}

const VARIABLE = /\b((?:STACKS|PG)_[A-Z_]+)\b/g;

test('every environment variable of a deployment is one that the program reads', () => {
  const variables = ALL_OPTIONS.flatMap(([, spec]) => variablesOf(spec));
  // Scripts of PostgreSQL have variables of their own.
  assertKnown(found(VARIABLE, /^(?!deploy\/compose\/postgres\/)/), new Set(variables), 20);
});

test('every option of the program that is named is one that it has', () => {
  const mentioned = found(/`--([a-z-]+)/g, /\.md$/);
  const given = found(/(?<=\b(?:serve|replay|export|verify|reindex|copy) [^\n`]*)--([a-z-]+)/g);
  assertKnown([...mentioned, ...given], new Set(Object.keys(OPTIONS)), 4);
});

test('every metric of the dashboard and the alerts is one that the program has', async () => {
  const figures = {
    height: 0,
    burnHeight: 0,
    journalPosition: 0,
    indexedPosition: 0,
    gaps: 0,
    setAside: 0,
    rebuilt: 0,
  };
  const metrics = createMetrics({
    index: async () => figures,
    shed: () => 0,
    clients: () => [],
    isActive: () => true,
    followed: () => ({ isUp: true, lag: 3 }),
    readDatabases: () => [{ isUp: true, lag: 0 }],
    live: () => ({ figures: {}, lagSeconds: 0 }),
    webhooks: async () => ({}),
    metadata: () => ({}),
  });
  const building = rebuildMetrics({ indexed: 0, events: 0 });
  const texts = `${await metrics.text()}\n${building}`;
  const registered = Array.from(texts.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) =>
    type === 'histogram' || type === 'summary' ? ['_bucket', '_count', '_sum'].map(part => name + part) : [name],
  );
  const used = found(/\b((?:stacks_index|process|nodejs)_\w+)/g, /grafana\/.*json$|alerts\.yaml$/);
  assertKnown(used, new Set(registered.flat()), 40);
});

test('the dashboard can be read, and its panels differ in their ids', () => {
  const dashboard = JSON.parse(read('deploy/grafana/stacks-index.json')) as { panels: { id: number }[] };
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
});

const settings = found(/STACKS_INDEX_METRICS_PORT: "(\d+)"/g);
const metricsPort = settings[0]?.name ?? '';
const ports = { api: OPTIONS.port.default, events: OPTIONS['event-port'].default, metrics: metricsPort };

test('the metrics are on the same port in every deployment', () => {
  assertKnown(settings, new Set([metricsPort]), 3);
});

test('a policy keeps the writer, which fetches what strangers name, from private addresses', () => {
  const [writer = ''] = read('deploy/kubernetes/network-policy.yaml').split('---');
  assert.match(writer, /policyTypes: \[Ingress, Egress\]/);
  for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
    assert.ok(writer.includes(range), `${range} is open`);
});

test('containers open the ports that the program listens on, and probes and Services use one of these', () => {
  for (const role of ['writer', 'api'] as const) {
    const text = read(`deploy/kubernetes/${role}.yaml`);
    const opened = Array.from(text.matchAll(/- name: (\w+)\n +containerPort: (\d+)/g), ([, name, port]) => [
      name,
      port,
    ]);
    const listens = role === 'writer' ? 'events' : 'api';
    assert.deepEqual(Object.fromEntries(opened), { [listens]: ports[listens], metrics: ports.metrics });
    const probed = Array.from(text.matchAll(/path: (\S+)\n +port: (\w+)/g), ([, path, port]) => `${path} ${port}`);
    const probes = role === 'writer' ? 'metrics' : 'api';
    assert.deepEqual(probed, [`/livez ${probes}`, `/livez ${probes}`, `/readyz ${probes}`]);
    assert.match(text, new RegExp(`port: ${ports[listens]}\\n +targetPort: ${listens}\\n`));
  }
  assert.match(read('Dockerfile'), new RegExp(`^EXPOSE ${ports.api} ${ports.events}$`, 'm'));
});

test('behind a proxy the API knows clients by X-Forwarded-For, which the proxy makes anew', () => {
  const trusted = found(/STACKS_INDEX_TRUST_PROXY: (?:\$\{SUBNET:-)?"?([^\s}"]+)/g, /\.yaml$/);
  assert.deepEqual(
    trusted.map(({ path }) => path),
    ['deploy/compose/compose.yaml', 'deploy/kubernetes/config.yaml'],
  );
  for (const { name } of trusted) assert.ok(parseSubnet(name), name);
  const networks = found(/- subnet: \$\{SUBNET:-([^}]+)\}/g);
  assert.deepEqual(networks, trusted.slice(0, 1), 'the network of the containers is the one that is trusted');
  const [frontend = ''] = /^frontend api$.*?(?=^\S)/ms.exec(read('deploy/compose/haproxy.cfg')) ?? [];
  assert.match(frontend, /^ +http-request del-header x-forwarded-for$.*^ +option forwardfor$/ms);
  // A limit that is raised for a proxy would hold for each client behind it.
  assert.deepEqual(found(/(STACKS_INDEX_MAX_\w*PER_(?:ADDRESS|CLIENT))/g), []);
});

test('load balancers and Prometheus ask the ports that the processes listen on', () => {
  const balancer = /haproxy\.cfg$/;
  assertKnown(found(/ api-\d:(\d+)/g, balancer), new Set([ports.api]), 2);
  assertKnown(found(/ writer-\d:(\d+)/g, balancer), new Set([ports.events]), 2);
  assertKnown(found(/ port (\d+)/g, balancer), new Set([ports.metrics]), 1);
  assertKnown(found(/httpchk GET (\S+)/g, balancer), new Set(['/readyz']), 2);
  assertKnown(found(/"(?:api|writer)-\d:(\d+)"/g, /prometheus\.yaml$/), new Set([ports.metrics]), 4);
  const published = new Set(Object.values(ports).map(port => `${port}:${port}`));
  assertKnown(found(/^ +- ".*?(\d+:\d+)"$/gm, /compose\/.*yaml$/), published, 5);
});

test('every image is pinned, the program to this version and Node.js to the one that the tests run on', () => {
  const images = found(/(?:\b(?:image|imageName): (?:&\S+ )?|^FROM )(?:\$\{IMAGE:-)?([^\s}*]+)/gm);
  assert.ok(images.length >= 10, `only ${images.length} found`);
  for (const { path, name } of images) {
    assert.match(name, /:v?\d+\.\d+\.\d+\S*$|postgres(ql)?:\d+\.\d+\S*$/, path);
    if (name.includes('stacks-index')) assert.ok(name.endsWith(`:${VERSION}`), `${path}: ${name}`);
    if (name.startsWith('node:')) assert.ok(name.startsWith(`node:${read('.nvmrc').trim()}-`), `${path}: ${name}`);
  }
  assert.match(read('deploy/kubernetes/kustomization.yaml'), new RegExp(`newTag: ${VERSION}\n`));
});

test('every file that a deployment names is there', () => {
  const mounted = found(/^ +- (\.{1,2}\/[^\s:]+):/gm, /compose\/.*yaml$/);
  const composed = found(/^ {2}- (\S+\.yaml)$/gm, /kustomization\.yaml$/);
  const linked = found(/\]\((?!https?:)([^)#\s]+)/g, /\.md$/);
  const copied = found(/^COPY (?!--)(.+) \S+$/gm, /Dockerfile$/).flatMap(({ path, name }) =>
    name.split(' ').map(each => ({ path, name: each })),
  );
  const named = [...mounted, ...composed, ...linked, ...copied];
  assert.ok(named.length >= 25, `only ${named.length} found`);
  assert.deepEqual(
    named.filter(({ path, name }) => !existsSync(join(ROOT, dirname(path), name))),
    [],
  );
});

test('the health check of the image asks the API, and a writer, which has none, beside its metrics', async t => {
  let status = 200;
  const server = createServer(({ url }, response) => response.writeHead(url === '/livez' ? status : 404).end());
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const exitCode = async (env: Record<string, string>): Promise<unknown> =>
    (await once(execFile(process.execPath, [join(ROOT, 'bin/healthcheck.mjs')], { env }), 'exit'))[0];
  const serving = { STACKS_BLOCKCHAIN_API_PORT: port, STACKS_INDEX_METRICS_PORT: '1' };
  const writing = { ...serving, STACKS_API_MODE: 'writeonly' };
  assert.equal(await exitCode(serving), 0);
  assert.equal(await exitCode(writing), 1, 'nothing listens on port 1');
  assert.equal(await exitCode({ ...writing, STACKS_INDEX_METRICS_PORT: port }), 0);
  status = 503;
  assert.equal(await exitCode(serving), 1);
});
