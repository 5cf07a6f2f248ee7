/** The units of deploy/systemd: what they run exists, what a program can do is limited, and old snapshots go. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { OPTIONS } from '../src/cli/options/option-table.ts';
import { serverUser } from './support/postgres-binaries.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'deploy/systemd');
const SERVICES = ['stacks-index.service', 'stacks-index-snapshot.service'];
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

test('services run files of the tarball, as their own user, with the same data', () => {
  for (const name of SERVICES) {
    const text = textOf(name);
    const programs = [...text.matchAll(/^ExecStart=\/opt\/stacks-index\/(\S+)/gm)].map(([, path = '']) => path);
    assert.ok(programs.length > 0, name);
    for (const path of programs) assert.ok(existsSync(join(ROOT, path)), path);
    assert.match(text, /^User=stacks-index$/m);
    assert.match(text, /^Environment=STACKS_INDEX_DATA=\/var\/lib\/stacks-index\/data$/m);
    assert.match(text, /^EnvironmentFile=\/etc\/stacks-index\/stacks-index\.env$/m);
    assert.match(text, /^StateDirectory=stacks-index stacks-index\/data stacks-index\/snapshots$/m);
  }
});

test('a service exposes less than 2.5 of 10, as systemd counts', t => {
  if (spawnSync('systemd-analyze', ['--version']).error) return t.skip('not installed: systemd-analyze');
  for (const name of SERVICES) {
    const { stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--no-pager', join(FOLDER, name)],
      {
        encoding: 'utf8',
      },
    );
    const level = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1];
    assert.ok(level !== undefined && Number(level) < 2.5, `${name}: ${level}\n${stderr}`);
  }
});

test('a stop is given more time than the program takes', () => {
  const seconds = Number(/^TimeoutStopSec=(\d+)s$/m.exec(textOf('stacks-index.service'))?.[1]);
  assert.ok(seconds >= 10, String(seconds));
});

test('proxies pass requests to the port of the API, and leave the other ports alone', () => {
  for (const file of ['nginx.conf', 'Caddyfile']) {
    const text = readFileSync(join(ROOT, 'deploy/proxy', file), 'utf8').replaceAll(/^\s*#.*$/gm, '');
    const ports = [...text.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => port);
    assert.deepEqual(ports, [String(OPTIONS.port.default)], file);
  }
});

/** The script in the layout of the tarball, with a program that only writes the file it is given. */
function layout(t: TestContext): {
  run: (of: string, kept?: string) => { status: number | null; output: string };
  snapshots: string;
} {
  const folder = mkdtempSync(join(tmpdir(), 'stacks-snapshots-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['bin', 'deploy/systemd', 'snapshots']) mkdirSync(join(folder, name), { recursive: true });
  const script = join(folder, 'deploy/systemd/snapshots.sh');
  cpSync(join(FOLDER, 'snapshots.sh'), script);
  writeFileSync(join(folder, 'bin/stacks-index'), '#!/bin/sh\n[ "$1 $2" = "snapshot create" ] && echo made > "$3"\n');
  chmodSync(join(folder, 'bin/stacks-index'), 0o755);
  const snapshots = join(folder, 'snapshots');
  return {
    snapshots,
    run(of, kept = '2') {
      const env = { PATH: process.env.PATH, SNAPSHOTS: snapshots, SNAPSHOTS_KEPT: kept };
      const { status, stdout, stderr } = spawnSync('sh', [script, of], { env, encoding: 'utf8' });
      return { status, output: stdout + stderr };
    },
  };
}

test('a snapshot is named by its time', t => {
  const { run, snapshots } = layout(t);
  assert.equal(run('create').status, 0);
  assert.match(readdirSync(snapshots).join(), /^\d{8}T\d{6}Z\.snapshot$/);
});

test('the oldest snapshots are removed, and no other file', t => {
  const { run, snapshots } = layout(t);
  const made = [1, 2, 3, 4].map(day => `2030010${day}T033000Z.snapshot`);
  const others = ['keep.snapshot', '20300105T033000Z.snapshot.12.partial', 'notes.txt'];
  for (const name of [...made, ...others]) writeFileSync(join(snapshots, name), '');
  for (const kept of ['0', '', 'x', '-1']) assert.equal(run('remove-old', kept).status, kept === '' ? 0 : 2, kept);
  assert.equal(readdirSync(snapshots).length, 7, 'seven stay unless given');
  assert.equal(run('remove-old').status, 0);
  assert.deepEqual(readdirSync(snapshots).toSorted(), [...made.slice(2), ...others].toSorted());
  assert.equal(run('remove-old').output, '');
  assert.equal(run('other').status, 2);
});

test('the program starts in a folder that its user may not enter, as `runuser` in /root does', t => {
  const user = serverUser();
  if (user?.uid === undefined) return t.skip('only root on Linux can run a program as another user');
  const folder = mkdtempSync(join(tmpdir(), 'stacks-launcher-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['bin', 'runtime', 'build/cli', 'private']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['stacks-index', 'resolve.cjs']) cpSync(join(ROOT, 'bin', name), join(folder, 'bin', name));
  place(process.execPath, join(folder, 'runtime/node'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'build/cli/bin.js'), 'console.log(process.cwd(), ...process.argv.slice(2));\n');
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'private'), 0o700);
  const startIn = (cwd: string) => {
    const { status, stdout, stderr } = spawnSync(join(folder, 'bin/stacks-index'), ['--version'], {
      ...user,
      cwd,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(folder, 'none') },
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  assert.equal(startIn(join(folder, 'private')), '/ --version');
  assert.equal(startIn(folder), `${folder} --version`, 'elsewhere it stays, for names of files are relative to it');
});

/** Gives a large file a second name, or a copy where that is another file system. */
function place(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    copyFileSync(file, name);
  }
}
