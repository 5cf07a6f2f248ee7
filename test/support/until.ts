import { setTimeout as delay } from 'node:timers/promises';

/** No wait of a test is as long, however busy the machine is: after it, what is waited for never comes. Milliseconds. */
export const PATIENCE_MS = 600_000;

/** Between two looks, at first and at most: a look may be a request, which takes time that others need. */
const PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits for a condition. Tests wait for progress in this way and never for a time, which on a busy machine may be too short.
 * @param otherwise what is wrong when it never comes true
 * @param program its last output is added to that
 * @throws after PATIENCE_MS
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  otherwise: string,
  program?: { output(): string },
): Promise<true> {
  const began = performance.now();
  for (let waited = 0; waited < PATIENCE_MS; waited = performance.now() - began) {
    if (await condition()) return true;
    await delay(Math.min(Math.max(PAUSE_MS, waited / 10), LONGEST_PAUSE_MS));
  }
  throw new Error(`${otherwise}\n${program?.output().slice(-5000) ?? ''}`);
}
