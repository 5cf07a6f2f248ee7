/**
 * Finds what a mutation breaks: a text within a declaration that is called by its name, wherever in `src` it stands. So a mutation
 * survives that files move, and that the code around it, or its layout, changes.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Edit } from './table.ts';

/** A part of a file. */
export interface EditTarget {
  /** Relative to the checkout. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A mutation no longer finds the text that it replaces. */
export class EditTargetMissing extends Error {
  override readonly name = 'EditTargetMissing';
}

/**
 * Where the text of an edit is.
 * @param root the checkout
 * @throws EditTargetMissing, which says whether the declaration or the text in it is missing, or there is more than one
 */
export function locate(root: string, { symbol, find }: Edit): EditTarget {
  const declared = sourceFiles(root).flatMap(file => {
    const source = readFileSync(join(root, file), 'utf8');
    return declarationsOf(source, symbol).map(range => ({ file, source, ...range }));
  });
  const [found, ...others] = declared;
  if (found === undefined) throw new EditTargetMissing(`no declaration of ${symbol} in src`);
  if (others.length > 0)
    throw new EditTargetMissing(`${symbol} is declared in ${declared.map(({ file }) => file).join(', ')}`);
  const matches = [...found.source.slice(found.start, found.end).matchAll(looseText(find))];
  const [match] = matches;
  if (match === undefined || matches.length > 1)
    throw new EditTargetMissing(`${matches.length} times within ${symbol} of ${found.file}: ${find}`);
  const start = found.start + match.index;
  return { file: found.file, start, end: start + match[0].length };
}

/** Makes an edit. @returns the file that it changed */
export function replaceIn(root: string, edit: Edit): string {
  const { file, start, end } = locate(root, edit);
  const source = readFileSync(join(root, file), 'utf8');
  writeFileSync(join(root, file), source.slice(0, start) + edit.replace + source.slice(end));
  return file;
}

const sourceFiles = (root: string): string[] =>
  globSync('src/**/*.ts', { cwd: root }).filter(file => !file.endsWith('.test.ts'));

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Declarations of this name: a function, constant or class of the file, or `Class.member`. */
export function declarationsOf(source: string, symbol: string): Range[] {
  const [name = '', member] = symbol.split('.');
  const outer = rangesOf(
    source,
    new RegExp(`^(export )?(default )?(abstract )?(async )?(function\\*?|const|class) ${name}\\b`),
  );
  if (member === undefined) return outer;
  const line = new RegExp(`^  ((static|async|readonly|override|private|get|set) )*\\*?${member}\\b ?[(<=:]`);
  return outer.flatMap(({ start, end }) =>
    rangesOf(source.slice(start, end), line).map(inner => ({ start: start + inner.start, end: start + inner.end })),
  );
}

/**
 * What begins with such a line ends before the next line that is indented as little and closes nothing: the formatter sees to
 * that.
 */
function rangesOf(source: string, firstLine: RegExp): Range[] {
  const ranges: Range[] = [];
  let begun: { start: number; indent: number } | undefined;
  let at = 0;
  for (const line of source.split('\n')) {
    const indent = line.search(/\S/);
    if (begun && indent >= 0 && (indent < begun.indent || (indent === begun.indent && !/^\s*[)\]}>`]/.test(line)))) {
      ranges.push({ start: begun.start, end: at });
      begun = undefined;
    }
    if (firstLine.test(line)) begun ??= { start: at, indent };
    at += line.length + 1;
  }
  if (begun) ranges.push({ start: begun.start, end: source.length });
  return ranges;
}

/** This text, however it is laid out. */
function looseText(text: string): RegExp {
  const tokens = text.trim().match(/\w+|[^\w\s]/g) ?? [];
  const between = (a: string, b: string | undefined) =>
    /\w$/.test(a) && b !== undefined && /^\w/.test(b) ? '\\s+' : '\\s*';
  const parts = tokens.map(
    (token, i) => token.replace(/[^\w\s]/, '\\$&') + (i + 1 < tokens.length ? between(token, tokens[i + 1]) : ''),
  );
  return new RegExp(parts.join(''), 'g');
}
