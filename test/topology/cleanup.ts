/** Actions after a test; the last first, as it may depend on earlier ones. */
export type Cleanup = (() => unknown)[];

export function cleanedUp(test: { after(hook: () => Promise<void>): void }): Cleanup {
  const cleanup: Cleanup = [];
  test.after(async () => {
    for (const clean of cleanup.toReversed()) await clean();
  });
  return cleanup;
}
