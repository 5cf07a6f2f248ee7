import { main } from './main.ts';

// Whatever is still open when a command has ended must not keep the process.
process.exit(await main(process.argv.slice(2), process.env));
