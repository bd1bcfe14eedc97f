import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { functionOf, type Lambda, type LocalFunction, Processes } from '@leads-and-stars/runner';
import { nameOf } from '../../infra/bundle-options.ts';
import { type FunctionSource, loadOperations } from '../../infra/operations.ts';
import { makeBundles } from './bundles.ts';
import { onceChanged } from './inputs.ts';
import { temporaryDirectory } from './temporary.ts';
import { buildOnChange } from './watching-build.ts';

interface Source extends FunctionSource {
  fn: LocalFunction;
}

interface Serving {
  sources: Source[];
  lambda: Lambda;
}

/** The functions' bundles, made anew whenever what they are made of changes. */
export interface Building {
  /** Where all are, once they are there for the first time: `<name>/function.js`. */
  made: Promise<string>;
  /** A function that became another bundle runs that from its next event on. */
  reload(functions: readonly LocalFunction[], lambda: Lambda): Promise<void>;
  close(): Promise<void>;
}

/**
 * Bundles the functions, and watches what they are made of: the first change starts a build that goes on from then.
 * While something does not compile, all go on as they are. `say` is told of either.
 */
export const startBuilding = async (say: (text: string) => void): Promise<Building> => {
  const directory = await temporaryDirectory('bundles');
  const processes = new Processes();
  const built = join(directory, 'built');
  const serving = Promise.withResolvers<Serving | undefined>();
  let version = 0;
  let broken = false;
  let closed = false;
  let building: ReturnType<typeof buildOnChange> | undefined;

  const reload = async ({ sources, lambda }: Serving): Promise<void> => {
    const reloaded: string[] = [];
    for (const source of sources) {
      const { operation, fn, file } = source;
      const made = join(built, nameOf(file), 'function.js');
      if (!(await replaceCode(fn, made, join(directory, `${version}`, operation.id)))) continue;
      lambda.renew(fn);
      reloaded.push(operation.id);
      if (await isDefinedAnew(source, version)) say(startAgain(source));
    }
    if (reloaded.length > 0) say(`Reloaded ${reloaded.join(', ')}.`);
    else if (broken) say('It compiles again, to what runs already.');
    broken = false;
  };

  const rebuilt = async (errors: string | undefined): Promise<void> => {
    version++;
    const running = await serving.promise;
    if (!running || closed) return;
    if (errors === undefined) return reload(running);
    broken = true;
    say(`${errors}\nThis does not compile. What ran before goes on.`);
  };

  const first = makeBundles(processes);
  const watching = first.then(({ files, inputs }) =>
    onceChanged(inputs, () => {
      if (!closed) building = buildOnChange(files, built, rebuilt);
    }),
  );
  const made = first.then((bundles) => bundles.directory);
  // Whoever waits for them is told; nobody may wait any more.
  for (const promise of [made, watching]) promise.catch(() => {});
  return {
    made,
    reload: async (functions, lambda) => {
      const sources = (await loadOperations()).flatMap((source): Source[] => {
        const fn = functionOf(functions, source.operation.id);
        return fn ? [{ ...source, fn }] : [];
      });
      serving.resolve({ sources, lambda });
    },
    close: async () => {
      closed = true;
      serving.resolve(undefined);
      await processes.close();
      await watching.then(
        (end) => end(),
        () => {},
      );
      await building?.close();
      await rm(directory, { recursive: true });
    },
  };
};

/** Whether the function gets other code by it: a change need not reach all of them. */
const replaceCode = async (fn: LocalFunction, made: string, directory: string) => {
  const code = await readFile(made);
  if (code.equals(await readFile(join(fn.code, 'function.js')))) return false;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'function.js'), code);
  fn.code = directory;
  return true;
};

/** Whether what the template was made of is another now. A file that can't be loaded says so when it runs. */
const isDefinedAnew = async ({ operation, file }: FunctionSource, version: number) => {
  const definition = (of: object) => {
    const { method, path, table, events } = of as Record<string, unknown>;
    return JSON.stringify([method, path, table, events]);
  };
  try {
    const loaded = await import(`${file}?${version}`);
    return definition(loaded.operation) !== definition(operation);
  } catch {
    return false;
  }
};

const startAgain = ({ file }: FunctionSource): string =>
  `${basename(file)} defines another route or other permissions: start again for these.`;
