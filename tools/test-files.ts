/**
 * Runs test files in this process: `node tools/test-files.ts FILE ...`. `node --test --test-isolation=none` does so too, but follows every
 * promise before anything could keep it from that (test/support/untracked-promises.ts): a third of the time of our tests.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

// When the run is interrupted: programs and servers that tests have started end as this process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
