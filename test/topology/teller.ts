import type { TestContext } from 'node:test';

/** Reports the events of a test run and their times to its reader. */
export function teller(t: TestContext): (what: string) => void {
  const started = performance.now();
  return what => t.diagnostic(`${((performance.now() - started) / 1000).toFixed(1)} s: ${what}`);
}
