import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What writes down all that a program does to the files of a directory (layer.c). */
export interface Layer {
  /** The environment that loads it into a program. */
  environment(directory: string, log: string): Readonly<Record<string, string>>;
  remove(): void;
}

/** Compiles the layer; gives the reason where this is not possible. */
export function buildLayer(): Layer | { readonly missing: string } {
  if (process.platform !== 'linux') return { missing: 'calls of a program are caught on Linux only' };
  const place = mkdtempSync(join(tmpdir(), 'stacks-power-loss-'));
  const library = join(place, 'layer.so');
  const source = join(import.meta.dirname, 'layer.c');
  const options = ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl', '-lpthread'];
  const { error, status, stderr } = spawnSync('gcc', options, { encoding: 'utf8' });
  const remove = () => rmSync(place, { recursive: true, force: true });
  if (error !== undefined) {
    remove();
    return { missing: `gcc: ${error.message}` };
  }
  if (status !== 0) {
    remove();
    throw new Error(`layer.c does not compile: ${stderr}`);
  }
  const environment = (directory: string, log: string) => ({
    LD_PRELOAD: library,
    POWER_LOSS_DIRECTORY: directory,
    POWER_LOSS_LOG: log,
  });
  return { environment, remove };
}
