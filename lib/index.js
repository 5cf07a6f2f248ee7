// Clarinet runs this file inside the container of the API, by this path: docs/operations.md#clarinets-devnet
import { runClarinetCommand } from '../src/cli/clarinet.ts';

process.exitCode = await runClarinetCommand(process.argv.slice(2), process.env);
