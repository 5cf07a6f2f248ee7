/**
 * Makes a fresh clone runnable, then runs a program of it: `node tools/setup.mjs tools/demo.ts ARGUMENTS`.
 * Installs the dependencies that are missing, among them the Node.js that everything else runs on. Plain JavaScript,
 * because this is run by whatever Node.js the machine has. STACKS_INDEX_TEST_NODE names another one for the program.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const wanted = `${root}package-lock.json`;

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
  console.log('Installing dependencies (npm ci) ...');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) {
    console.error('npm ci failed. The npm registry must be reachable, or node_modules be filled some other way.');
    process.exit(1);
  }
}

const [program, ...args] = process.argv.slice(2);
if (program !== undefined) {
  const node = process.env.STACKS_INDEX_TEST_NODE ?? `${root}node_modules/.bin/node`;
  const child = spawn(node, [program, ...args], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
}
