/**
 * Makes a fresh clone runnable, then runs a program of it: `node tools/setup.mjs tools/demo.ts ARGUMENTS`.
 * Installs the dependencies that are missing, among them the Node.js that everything else runs on. Plain JavaScript,
 * because this is run by whatever Node.js the machine has. STACKS_INDEX_TEST_NODE names another one for the program.
 * With --help it shows the comment at the head of the program instead, which says how to call it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [program, ...args] = process.argv.slice(2);
const usage = args.includes('--help') && usageOf(program);
if (usage) {
  console.log(usage);
  process.exit(0);
}

/** The comment at the head of a program, without its stars; undefined where there is none. */
function usageOf(program) {
  const [, comment] = /^\/\*\*\s([\s\S]*?)\s\*\//.exec(readFileSync(`${root}${program}`, 'utf8')) ?? [];
  return comment?.replace(/^ \* ?/gm, '').trim();
}

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

if (program !== undefined) {
  const node = process.env.STACKS_INDEX_TEST_NODE ?? `${root}node_modules/.bin/node`;
  const child = spawn(node, [program, ...args], { cwd: root, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
}
