import { circleOf, type ImportGraph } from './graph.ts';

/** What each room imports; a file that `roomOf` has no room for is left out, as are imports within a room. */
export function arrowsBetween(graph: ImportGraph, roomOf: (file: string) => string | undefined): ImportGraph {
  const arrows = new Map<string, Set<string>>();
  for (const [file, imported] of graph) {
    const room = roomOf(file);
    if (room === undefined) continue;
    const others = arrows.get(room) ?? new Set();
    arrows.set(room, others);
    for (const target of imported.map(roomOf)) if (target !== undefined && target !== room) others.add(target);
  }
  return new Map([...arrows].map(([room, others]) => [room, [...others]]));
}

export const countArrows = (arrows: ImportGraph): number =>
  [...arrows.values()].reduce((count, others) => count + others.length, 0);

/** The file or folder right below a folder that a file is in; `folder` is empty for the root, and ends in a slash else. */
export const entryOf =
  (folder: string) =>
  (file: string): string | undefined =>
    file.startsWith(folder) ? folder + file.slice(folder.length).split('/', 1)[0] : undefined;

/** Circles of what is right below a folder, for each folder that has one: with an order of the entries, none of their arrows leads up. */
export function circlesInFolders(graph: ImportGraph): (readonly string[])[] {
  const folders = new Set(['']);
  for (const file of graph.keys())
    for (let end = file.indexOf('/'); end >= 0; end = file.indexOf('/', end + 1)) folders.add(file.slice(0, end + 1));
  return [...folders].flatMap(folder => {
    const circle = circleOf(arrowsBetween(graph, entryOf(folder)));
    return circle ? [circle] : [];
  });
}

/** What files import and which tables they name, as one graph. */
export const joinGraphs = (...graphs: readonly ImportGraph[]): ImportGraph => {
  const files = new Set(graphs.flatMap(graph => [...graph.keys()]));
  return new Map([...files].map(file => [file, [...new Set(graphs.flatMap(graph => graph.get(file) ?? []))]]));
};
