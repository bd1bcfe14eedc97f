import { readdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Definition, hasRoute } from '../lib/operations/definition.ts';

const directory = join(import.meta.dirname, '../functions');

export interface FunctionFile<O extends Definition = Definition> {
  operation: O;
  /** The TypeScript file that exports it and its `handler`. */
  file: string;
}

/** The files in `functions/` that define an operation each: all are part of the service. */
export const listFiles = async (): Promise<string[]> => {
  const all = await readdir(directory, { recursive: true });
  // A file beside the folders of areas is none of an operation.
  const inAreas = all.filter((file) => file.includes(sep));
  const files = inAreas.filter((file) => file.endsWith('.ts') && !file.endsWith('.examples.ts'));
  return files.sort(byName).map((name) => join(directory, name));
};

/** Every operation. */
export const loadOperations = async (): Promise<FunctionFile[]> =>
  Promise.all(
    (await listFiles()).map(async (file) => {
      const { operation } = await import(pathToFileURL(file).href);
      if (kebab(operation?.id ?? '') !== basename(file, '.ts')) {
        const name = relative(directory, file);
        throw new Error(`functions/${name} must export an operation that the file is named after`);
      }
      return { operation, file };
    }),
  );

/** The order of files by their names, in whatever folders they are. */
const byName = (a: string, b: string): number => (basename(a) < basename(b) ? -1 : 1);

const kebab = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type Of<Kind extends Definition['kind']> = FunctionFile<Extract<Definition, { kind: Kind }>>;

const isOf =
  <Kind extends Definition['kind']>(kind: Kind) =>
  (functionFile: FunctionFile): functionFile is Of<Kind> =>
    functionFile.operation.kind === kind;

/** Whether an operation has a route. */
export const isRouted = isOf('routed');

/** Whether something is served at a path of the API. */
export const isServed = (functionFile: FunctionFile): functionFile is Of<'routed' | 'agent'> =>
  hasRoute(functionFile.operation);

/** Whether a function takes events from the bus, through a queue. */
export const isQueueConsumer = isOf('queue');

const takes =
  <What extends 'additions' | 'feed items'>(what: What) =>
  (
    functionFile: FunctionFile,
  ): functionFile is FunctionFile<Extract<Definition, { takes: What }>> =>
    functionFile.operation.kind === 'stream' && functionFile.operation.takes === what;

/** Whether the table's stream gives a function what is added to the table. */
export const takesAdditions = takes('additions');

/** Whether the table's stream gives a function what got its number. */
export const takesFeedItems = takes('feed items');

/** Whether a function works on messages of the service's own queue. */
export const isWorker = isOf('worker');

/** Whether the clock starts a function. */
export const isScheduled = isOf('scheduled');
