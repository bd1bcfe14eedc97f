import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Example } from '../../functions/example.ts';
import { loadOperations } from '../../infra/operations.ts';
import type { Definition } from '../../lib/operations/definition.ts';

/** An operation and its examples, the first of which is its sample. */
export interface WithExamples<O extends Definition = Definition> {
  operation: O;
  /** Where the examples are. */
  file: string;
  examples: readonly [Example, ...Example[]];
}

/** The examples of every operation. Throws for an operation without examples, and for a name that is there twice. */
export const loadExamples = async (): Promise<WithExamples[]> =>
  Promise.all(
    (await loadOperations()).map(async ({ operation, file: definedIn }) => {
      const file = definedIn.replace(/\.ts$/, '.examples.ts');
      return { operation, file, examples: await examplesIn(file) };
    }),
  );

const examplesIn = async (file: string): Promise<readonly [Example, ...Example[]]> => {
  if (!existsSync(file)) throw new Error(`${file} is missing: it has the requests to try`);
  const { examples } = await import(pathToFileURL(file).href);
  const names = new Set(examples.map(({ name }: Example) => name));
  if (examples.length === 0 || names.size < examples.length) {
    throw new Error(`${file} must export examples, each with a name of its own`);
  }
  return examples;
};

/** How an example is called where there are those of other operations, too. */
export const titleOf = ({ id }: Definition, { name }: Example): string => `${id}, ${name}`;
