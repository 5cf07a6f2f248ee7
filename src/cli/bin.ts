import { setImmediate as turn } from 'node:timers/promises';
import { systemMessage } from '../base/lib/app-error.ts';
import { main } from './main.ts';

// Progress that cannot be shown any more, as on a terminal that was closed, must not end the work.
process.stderr.on('error', () => {});
// A command whose output cannot be written has failed, but `verify | head -1` needs no message.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    process.stderr.write(`stacks-index: standard output cannot be written: ${systemMessage(error)}\n`);
  process.exit(1);
});

const status = await main(process.argv.slice(2), process.env);
await turn(); // an error of the last write arrives after it
// Whatever is still open when a command has ended must not keep the process.
process.exit(status);
