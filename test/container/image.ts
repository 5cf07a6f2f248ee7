import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const BUILDAH = join(import.meta.dirname, 'buildah.sh');

/** The directory that build-image.sh has filled. */
const { STACKS_TEST_IMAGE: built } = process.env;

/** A place with data of its own, in which programs run. */
export interface Container {
  /** Starts a program. @param args paths of the image begin with /app */
  readonly run: (program: 'stacks-index' | 'node', args: readonly string[]) => ChildProcess;
  /** Sends a signal to a program that runs, as `docker stop` does. */
  readonly signal: (started: ChildProcess, name: NodeJS.Signals) => void;
  readonly remove: () => void;
}

/** What containers are made of. */
export interface Image {
  readonly create: (env: Readonly<Record<string, string>>) => Container;
}

/**
 * The image in STACKS_TEST_IMAGE; without one, its layout in a folder.
 * @param directory what its containers see of this machine
 */
export const imageFor = (directory: string): Image =>
  built === undefined ? layoutIn(directory) : imageIn(built, directory);

/** What the Dockerfile copies to /app, in a folder. */
function layoutIn(directory: string): Image {
  const app = join(directory, 'app');
  mkdirSync(app);
  cpSync(join(ROOT, 'package.json'), join(app, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
  const copied = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^COPY (\w+) \1$/gm);
  for (const [, folder = ''] of copied)
    cpSync(join(ROOT, folder), join(app, folder), { recursive: true, filter: path => !path.endsWith('.test.ts') });
  const main = join(app, 'src/cli/bin.ts');
  let containers = 0;
  return {
    create(given) {
      const data = join(directory, `data-${++containers}`);
      const env = { PATH: process.env.PATH, STACKS_INDEX_DATA: data, ...given };
      return {
        run(program, args) {
          const inFolder = args.map(arg => arg.replace(/^\/app\//, `${app}/`));
          return spawn(process.execPath, program === 'node' ? inFolder : [main, ...inFolder], { env });
        },
        signal: (started, name) => void started.kill(name),
        remove: () => rmSync(data, { recursive: true, force: true }),
      };
    },
  };
}

/** The image that buildah has in a directory. Its containers use the network of this machine. */
function imageIn(store: string, directory: string): Image {
  const buildah = (...args: string[]) => execFileSync(BUILDAH, [store, ...args], { encoding: 'utf8' }).trim();
  chmodSync(directory, 0o777); // the image is no root
  return {
    create(env) {
      const container = buildah('from', '--pull-never', 'stacks-index');
      const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
      const how = ['--isolation', 'chroot', '--volume', `${directory}:${directory}`, ...variables];
      return {
        run: (program, args) => spawn(BUILDAH, [store, 'run', ...how, container, '--', program, ...args]),
        signal(started, name) {
          const pid = started.exitCode === null && started.pid !== undefined ? nodeBelow(started.pid) : undefined;
          if (pid !== undefined) process.kill(pid, name);
        },
        remove: () => void buildah('rm', container),
      };
    },
  };
}

/** The Node.js that this process has started, or one that it has started, and so on. */
function nodeBelow(pid: number): number | undefined {
  if (basename(readlinkSync(`/proc/${pid}/exe`)) === 'node') return pid;
  const children = readdirSync(`/proc/${pid}/task`).flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  for (const child of children) {
    const found = nodeBelow(Number(child));
    if (found !== undefined) return found;
  }
  return undefined;
}
