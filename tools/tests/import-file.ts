/**
 * Imports a test file and prints a line of JSON (`Imported`) with what that left open: `node tools/tests/import-file.ts FILE`. node:test is replaced by one that
 * calls suites and runs no test and no hook, so what is left open was opened by the import.
 */
import { createRequire, registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { Imported } from './messages.ts';
import { opened, resources, TURNS } from './open-resources.ts';

const REPLACEMENT = `
  const none = () => Promise.resolve();
  const suite = (...args) => {
    const options = args.find(each => typeof each === 'object' && each !== null);
    if (!options?.skip) args.find(each => typeof each === 'function')?.({});
    return Promise.resolve();
  };
  const kinds = { skip: none, todo: none, only: none };
  export const test = Object.assign((...args) => none(...args), kinds);
  export const it = test;
  export const describe = Object.assign(suite, kinds);
  export { describe as suite };
  export const [before, after, beforeEach, afterEach] = [none, none, none, none];
  export const mock = {};
  export default test;
`;
const URL_OF_IT = `data:text/javascript,${encodeURIComponent(REPLACEMENT)}`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' ? { url: URL_OF_IT, shortCircuit: true } : next(specifier, context),
});

const require = createRequire(import.meta.url);
const before = resources();
const failure = failureOf(process.argv[2] ?? '');
for (let turn = 0; turn < TURNS; turn++) await nextTurn();
console.log(JSON.stringify({ open: opened(before), ...(failure !== undefined && { failure }) } satisfies Imported));
process.exit(0);

/** Why the import fails. */
function failureOf(file: string): string | undefined {
  try {
    require(resolve(file));
    return undefined;
  } catch (error) {
    return inspect(error);
  }
}
