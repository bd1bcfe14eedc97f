import { createHash, type Hash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The sources of a template, beside its options. The lock file stands for what npm installs. */
const sources = ['package-lock.json', '{infra,lib,functions}/**/*.ts'];

/** Templates that are kept at most: of some branches, with some options. */
const mostKept = 10;

/**
 * The template that `make` makes of a project with these options: as it was made of the very same sources, which takes a
 * fiftieth of the time, or else made and kept.
 */
export const keptTemplate = async (
  project: string,
  options: object,
  make: () => Promise<string>,
): Promise<string> => {
  const directory = join(project, 'node_modules/.cache/templates');
  const file = join(directory, `${digestOf(project, options)}.json`);
  if (existsSync(file)) {
    const now = new Date();
    utimesSync(file, now, now);
    return readFileSync(file, 'utf8');
  }
  const template = await make();
  mkdirSync(directory, { recursive: true });
  // The file appears in one step, as two programs may make it at once.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, template);
  renameSync(own, file);
  removeOldest(directory);
  return template;
};

const digestOf = (project: string, options: object): string => {
  const hash = createHash('sha256');
  add(hash, JSON.stringify([options, process.version]));
  for (const file of sources.flatMap((pattern) => globSync(pattern, { cwd: project }).sort())) {
    add(hash, file);
    add(hash, readFileSync(join(project, file)));
  }
  return hash.digest('hex');
};

/** Adds its length, too, so that no two lists of parts are the same. */
const add = (hash: Hash, part: string | Buffer): void => {
  hash.update(`${Buffer.byteLength(part)}:`).update(part);
};

const removeOldest = (directory: string): void => {
  const timeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const files = readdirSync(directory).map((name) => join(directory, name));
  const oldest = files.toSorted((a, b) => timeOf(b) - timeOf(a)).slice(mostKept);
  for (const file of oldest) rmSync(file, { force: true });
};
