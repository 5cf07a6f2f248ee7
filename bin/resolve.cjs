/**
 * Resolves a relative import of a TypeScript file without looking for it on the disk. Node.js examines every folder above each of the 600 files
 * that a start of `serve` loads, which takes 0.13 s of CPU, an eighth of the start.
 */
const { registerHooks } = require('node:module');

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('.') || !specifier.endsWith('.ts')) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module-typescript', shortCircuit: true };
  },
});
