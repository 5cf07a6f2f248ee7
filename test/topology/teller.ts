import type { TestContext } from 'node:test';

/** Tells the reader of a test run what happens, and when. */
export function teller(t: TestContext): (what: string) => void {
  const started = performance.now();
  return what => t.diagnostic(`${((performance.now() - started) / 1000).toFixed(1)} s: ${what}`);
}
