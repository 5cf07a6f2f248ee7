import { setTimeout as delay } from 'node:timers/promises';

/** No wait of a test is as long, however busy the machine is: after it, what is waited for never comes. Milliseconds. */
export const PATIENCE_MS = 600_000;

const PAUSE_MS = 10;

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
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await delay(PAUSE_MS)) {
    if (await condition()) return true;
  }
  throw new Error(`${otherwise}\n${program?.output().slice(-5000) ?? ''}`);
}
