import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new directory for temporary files; it goes with `remove`, or when the process exits. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'stacks-bench-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}
