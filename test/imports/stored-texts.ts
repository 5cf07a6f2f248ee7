import { posix } from 'node:path';

/** Paths and texts of files. */
type Texts = ReadonlyMap<string, string>;

/** What reads stored bytes: JSON, compressed bytes, and the packings of the index. */
const READS =
  /\bJSON\.parse\b|\bJSON\[|\bunpack[A-Z]\w*\(|\bunpack\(|\b(?:inflate|gunzip|unzip|brotliDecompress|zstdDecompress)\w*\(/;

/** The declarations of a file, each with its text. */
const declarationsOf = (
  text: string,
): { readonly name: string; readonly isExported: boolean; readonly text: string }[] =>
  text.split(/^(?=(?:export )?(?:async )?(?:const|function\*?|class) )/m).flatMap(part => {
    const [, exported, name] = /^(export )?(?:async )?(?:const|function\*?|class) (\w+)/.exec(part) ?? [];
    return name === undefined ? [] : [{ name, isExported: exported !== undefined, text: part }];
  });

const IMPORT = /^import (?:\w+, )?\{([^}]*)\} from '(\.[^']+)'/gm;

/** What a file imports: its own name for it, and `file: name` of the export. */
const importsOf = (file: string, text: string): (readonly [own: string, from: string])[] =>
  [...text.matchAll(IMPORT)].flatMap(([, list = '', path = '']) =>
    list
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '' && !item.startsWith('type '))
      .map(item => {
        const [name = '', own = name] = item.split(' as ');
        return [own, `${posix.join(posix.dirname(file), path)}: ${name}`] as const;
      }),
  );

/** The result of a call, from the bracket that opens its arguments; undefined if that is never closed. */
function afterCall(text: string, open: number): string | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return text.slice(at + 1);
  }
  return undefined;
}

/** A cast to anything but a constant or `unknown`, directly or of a member. */
const CAST = /^[)!]*(?:\??\.\w+|\[[^\]]*\])*\)* as (?!const\b|unknown\b)/;

/** Names that a declaration gives to a result: `const x = `, `const { a, b: c } = `. */
const BOUND = /\b(?:const|let) (\w+|\{[^}]*\}|\[[^\]]*\])(?:: [^=]+)? = (?:\w+ \? )?$/;

/** Whether a text casts the result of one of these functions, or a variable that holds it or a member of it. */
function castsResultOf(names: readonly string[], text: string): boolean {
  return names.some(name =>
    [...text.matchAll(new RegExp(`\\b${name.replace('.', '\\.')}\\(`, 'g'))].some(call => {
      const after = afterCall(text, call.index + call[0].length - 1);
      if (after === undefined) return false;
      if (CAST.test(after)) return true;
      const [, pattern = ''] = BOUND.exec(text.slice(0, call.index)) ?? [];
      const bound = [...pattern.matchAll(/(\w+)\s*(?:[,}\]]|=|$)/g)].map(([, own = '']) => own);
      return bound.some(own =>
        [...after.matchAll(new RegExp(`\\b${own}\\b`, 'g'))].some(use =>
          CAST.test(after.slice(use.index + own.length)),
        ),
      );
    }),
  );
}

/**
 * Files that read stored bytes though they are no door: by a parse, by a function of a file that is no door either, or by a cast of what a door
 * returned, as `file: how`.
 * @param files all files of src
 * @param isInside whether the rule holds in a file; a door is never inside
 */
export function readersBesideDoors(
  files: Texts,
  isDoor: (file: string) => boolean,
  isInside: (file: string) => boolean,
): string[] {
  const exported = [...files].flatMap(([file, text]) =>
    declarationsOf(text).flatMap(({ name, isExported, ...rest }) => (isExported ? [{ file, name, ...rest }] : [])),
  );
  const idOf = ({ file, name }: { readonly file: string; readonly name: string }) => `${file}: ${name}`;
  const opened = new Set(exported.filter(({ file }) => isDoor(file)).map(idOf));
  const ofDoors = (file: string): string[] =>
    importsOf(file, files.get(file) ?? '').flatMap(([own, from]) => (opened.has(from) ? [own] : []));
  const doesRead = (file: string, text: string): boolean =>
    READS.test(ofDoors(file).reduce((rest, name) => rest.replaceAll(new RegExp(`\\b${name}\\(`, 'g'), '_('), text));
  const helpers = new Set(exported.filter(({ file, text }) => !isDoor(file) && doesRead(file, text)).map(idOf));
  return [...files].flatMap(([file, text]) => {
    if (isDoor(file) || !isInside(file)) return [];
    return [
      ...(doesRead(file, text) ? [`${file}: reads`] : []),
      ...importsOf(file, text).flatMap(([own, from]) => (helpers.has(from) ? [`${file}: calls ${own}`] : [])),
      ...(castsResultOf(ofDoors(file), text) ? [`${file}: casts`] : []),
    ];
  });
}
