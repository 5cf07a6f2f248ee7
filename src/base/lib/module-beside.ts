/**
 * The file of a module that a thread or process runs: TypeScript in a checkout, JavaScript compiled from it in a package.
 * @param name of the file in the folder of the importer, without its ending
 * @param importer its `import.meta.url`
 */
export const moduleBeside = (name: string, importer: string): URL =>
  new URL(`./${name}.${importer.endsWith('.ts') ? 'ts' : 'js'}`, importer);
