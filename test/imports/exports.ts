import { posix } from 'node:path';

/** Paths and texts of files. */
type Texts = ReadonlyMap<string, string>;

const DECLARATION =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const enum|const|let|function\*?|class|interface|type|enum) (\w+)/gm;
/** `import { a, type b as c } from './x.ts'`, `export { a } from './x.ts'`, `export * from './x.ts'`. */
const NAMED = /^(import|export) (?:type )?(?:\w+, )?(\{[^}]*\}|\* as \w+|\*) from '(\.[^']+)'/gm;
/** An import that takes everything: `import('./x.ts')`. */
const WHOLE = /\bimport\(\s*'(\.[^']+)'/g;

const namesIn = (list: string): string[] =>
  list
    .slice(1, -1)
    .split(',')
    .map(name => name.trim().replace(/^type /, ''))
    .filter(name => name !== '');

/** The exports of files that no other file imports, as `file: name`. @param isExporter whether the exports of a file are to be used */
export function unusedExports(texts: Texts, isExporter: (file: string) => boolean): string[] {
  const used = new Map<string, Set<string>>();
  const reExported: (readonly [from: string, to: string, name: string])[] = [];
  const use = (file: string, name: string) => used.set(file, (used.get(file) ?? new Set()).add(name));
  const exported: (readonly [file: string, name: string])[] = [];
  for (const [file, text] of texts) {
    for (const [, name = ''] of text.matchAll(DECLARATION)) exported.push([file, name]);
    const resolve = (path: string) => posix.join(posix.dirname(file), path);
    for (const [, path = ''] of text.matchAll(WHOLE)) use(resolve(path), '*');
    for (const [, kind, list = '', path = ''] of text.matchAll(NAMED)) {
      const target = resolve(path);
      if (kind === 'import' && list.startsWith('*')) use(target, '*');
      else if (list === '*') reExported.push([target, file, '*']);
      else
        for (const name of namesIn(list)) {
          const [own = '', given = own] = name.split(' as ');
          if (kind === 'import') use(target, own);
          else {
            exported.push([file, given]);
            reExported.push([target, file, own]);
          }
        }
    }
  }
  const isUsed = (file: string, name: string): boolean =>
    used.get(file)?.has(name) === true ||
    used.get(file)?.has('*') === true ||
    reExported.some(([from, to, own]) => from === file && (own === '*' || own === name) && isUsed(to, name));
  return exported
    .filter(([file, name]) => isExporter(file) && !isUsed(file, name))
    .map(([file, name]) => `${file}: ${name}`);
}
