import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { functionOf, type Lambda, type LocalFunction } from '@leads-and-stars/runner';
import { type FunctionSource, loadOperations } from '../../infra/operations.ts';
import { buildOnChange } from './watching-build.ts';

interface Source extends FunctionSource {
  fn: LocalFunction;
}

/**
 * Watches what the functions are made of. One that becomes another bundle by a change runs that from its
 * next event on; while something does not compile, all go on as they are. `say` is told of either.
 */
export const reloadOnChange = async (
  functions: readonly LocalFunction[],
  lambda: Lambda,
  say: (text: string) => void,
): Promise<{ close: () => Promise<void> }> => {
  const sources = (await loadOperations()).flatMap((source): Source[] => {
    const fn = functionOf(functions, source.operation.id);
    return fn ? [{ ...source, fn }] : [];
  });
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-reloaded-'));
  let version = 0;
  let broken = false;

  const reload = async (): Promise<void> => {
    version++;
    const reloaded: string[] = [];
    for (const source of sources) {
      const { operation, fn } = source;
      const made = join(directory, 'built', operation.id, 'index.js');
      if (!(await replaceCode(fn, made, join(directory, `${version}`, operation.id)))) continue;
      lambda.renew(fn);
      reloaded.push(operation.id);
      if (await isDefinedAnew(source, version)) say(startAgain(source));
    }
    if (reloaded.length > 0) say(`Reloaded ${reloaded.join(', ')}.`);
    else if (broken) say('It compiles again, to what runs already.');
    broken = false;
  };

  const files = Object.fromEntries(sources.map(({ operation, file }) => [operation.id, file]));
  const building = buildOnChange(files, join(directory, 'built'), async (errors) => {
    if (errors === undefined) return reload();
    broken = true;
    say(`${errors}\nThis does not compile. What ran before goes on.`);
  });
  return {
    close: async () => {
      await building.close();
      await rm(directory, { recursive: true });
    },
  };
};

/** Whether the function gets other code by it. The first build of all is what was synthesized. */
const replaceCode = async (fn: LocalFunction, made: string, directory: string) => {
  const code = await readFile(made);
  if (code.equals(await readFile(join(fn.code, 'index.js')))) return false;
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'index.js'), code);
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
