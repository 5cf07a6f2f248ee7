import { readFileSync } from 'node:fs';

/** Of the package, which is two folders up in a checkout and in the published build alike. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
