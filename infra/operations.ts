import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Definition } from '../lib/operations/operation.ts';

const directory = join(import.meta.dirname, '../functions');

export interface FunctionSource<O extends Definition = Definition> {
  operation: O;
  /** The TypeScript file that exports it and its `handler`. */
  file: string;
}

/** Every operation, found by the file that defines it: one in `functions/` is one in the service. */
export const loadOperations = async (): Promise<FunctionSource[]> => {
  const all = await readdir(directory, { recursive: true });
  const files = all.filter((file) => file.endsWith('.ts') && !file.endsWith('.examples.ts'));
  return Promise.all(
    files.sort(byName).map(async (name) => {
      const file = join(directory, name);
      const { operation } = await import(file);
      if (kebab(operation?.id ?? '') !== basename(name, '.ts')) {
        throw new Error(`functions/${name} must export an operation that the file is named after`);
      }
      return { operation, file };
    }),
  );
};

/** Whatever folder a file is in. */
const byName = (a: string, b: string): number => (basename(a) < basename(b) ? -1 : 1);

const kebab = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type Of<Kind extends Definition['kind']> = FunctionSource<Extract<Definition, { kind: Kind }>>;

/** Whether an operation has a route, rather than being started otherwise. */
export const isRouted = (source: FunctionSource): source is Of<'routed'> =>
  source.operation.kind === 'routed';

/** Whether it is given events from the bus, through a queue. */
export const isQueueConsumer = (source: FunctionSource): source is Of<'queue'> =>
  source.operation.kind === 'queue';

/** Whether it is given the table's changes, as they come in its stream. */
export const isStreamConsumer = (source: FunctionSource): source is Of<'stream'> =>
  source.operation.kind === 'stream';
