import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Compiles TypeScript, strictly, where it finds the modules of this repository. @returns the output of the compiler, ''
 * without errors
 */
function compile(source: string): string {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.compiled-'));
  try {
    writeFileSync(join(folder, 'source.ts'), source);
    // The compiler is a Go program: without collections of garbage it takes two thirds of the CPU time.
    const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '2GiB' };
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--checkers',
      '1',
      '--target',
      'esnext',
      '--module',
      'esnext',
    ];
    const where = ['--moduleResolution', 'bundler', '--ignoreConfig', 'source.ts'];
    execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, ...where], {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    return '';
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && error.stdout !== '') return String(error.stdout);
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @throws with the first errors of the compiler */
export function assertCompiles(source: string): void {
  const said = compile(source);
  assert.equal(said, '', said.slice(0, 5000));
}
