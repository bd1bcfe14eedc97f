import { dirname, join } from 'node:path';

/** Texts of files, by their paths. */
export type Sources = ReadonlyMap<string, string>;

/** Whatever is quoted like a path to a file beside this one: imports of any kind, types included. */
const relativePath = /['"`](\.{1,2}\/[^'"`\n]+\.ts)['"`]/g;

const importsOf = (path: string, text: string): string[] =>
  [...text.matchAll(relativePath)].map(([, target]) => join(dirname(path), target!));

const folderOf = (path: string): string => path.split('/')[1] ?? '';

/** Imports of a file in `lib` that do not go to its own or a lower folder. `order` begins with the lowest. */
export const wrongImports = (sources: Sources, order: readonly string[]): string[] =>
  [...sources].flatMap(([path, text]) =>
    importsOf(path, text)
      .filter((target) => {
        const [from, to] = [order.indexOf(folderOf(path)), order.indexOf(folderOf(target))];
        return !target.startsWith('lib/') || from < 0 || to < 0 || to > from;
      })
      .map((target) => `${path} imports ${target}`),
  );

/** Pairs of folders beside each other in one area that import from each other. */
export const folderCircles = (sources: Sources): string[] => {
  const pairs = new Set<string>();
  for (const [path, text] of sources) {
    for (const target of importsOf(path, text)) {
      const [from, to] = [dirname(path), dirname(target)];
      if (from !== to && dirname(from) === dirname(to) && dirname(from) !== 'lib') {
        pairs.add(`${from} ${to}`);
      }
    }
  }
  return [...pairs].filter((pair) => pairs.has(pair.split(' ').reverse().join(' ')));
};

/** Folders with more files than this that show nothing of what is inside by folders of their own. */
export const crowdedFolders = (paths: readonly string[], most: number): string[] => {
  const files = Map.groupBy(paths, dirname);
  return [...files.keys()].filter(
    (folder) =>
      files.get(folder)!.length > most && !paths.some((path) => dirname(dirname(path)) === folder),
  );
};
