import { readFileSync } from 'node:fs';

/** Version of the package, whose root is two folders up both in a checkout and in the published build. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
