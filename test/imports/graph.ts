import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** What each file imports, both relative to src. Imports of types count too. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** `import ... from './x.ts'`, `export ... from './x.ts'`, `import './x.ts'`, `import('./x.ts')`. */
const SPECIFIER = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

export function readImports(src: string, files: readonly string[]): ImportGraph {
  const importsOf = (file: string) => {
    const text = readFileSync(join(src, file), 'utf8');
    return [...text.matchAll(SPECIFIER)].map(([, path = '']) => posix.join(posix.dirname(file), path));
  };
  return new Map(files.map(file => [file, importsOf(file)]));
}

/** The room that a file is in: the innermost that holds it. */
export function roomOf(file: string, floors: readonly (readonly string[])[]): string | undefined {
  return floors
    .flat()
    .filter(room => file === room || file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/** Imports of a higher floor or another room, as `file -> file`. */
export function importsUpwards(graph: ImportGraph, floors: readonly (readonly string[])[]): string[] {
  const floorOf = (room: string | undefined) => floors.findIndex(rooms => room !== undefined && rooms.includes(room));
  const found: string[] = [];
  for (const [file, imported] of graph) {
    const room = roomOf(file, floors);
    for (const target of imported) {
      const targetRoom = roomOf(target, floors);
      if (targetRoom !== room && floorOf(targetRoom) >= floorOf(room)) found.push(`${file} -> ${target}`);
    }
  }
  return found;
}

/** A circle of imports, each file importing the next one and the last the first; undefined without a circle. */
export function circleOf(graph: ImportGraph): readonly string[] | undefined {
  const done = new Set<string>();
  const search = (file: string, path: readonly string[]): readonly string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return path.slice(start);
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const circle = search(next, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = search(file, []);
    if (circle) return circle;
  }
  return undefined;
}
