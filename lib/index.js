// Clarinet runs this file inside the container of the API, by this path: docs/operations.md#clarinets-devnet
import { existsSync } from 'node:fs';

// A package has what was compiled, a checkout and its image the source.
const { runClarinetCommand } = existsSync(new URL('../src', import.meta.url))
  ? await import('../src/cli/clarinet.ts')
  : await import('../build/cli/clarinet.js');

process.exitCode = await runClarinetCommand(process.argv.slice(2), process.env);
