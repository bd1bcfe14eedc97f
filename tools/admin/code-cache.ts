import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { cacheFileOf, cacheRequest, type GivenCache } from '../../infra/code-cache.ts';
import { loadOperations } from '../../infra/operations.ts';
import { examples } from './arguments.ts';
import { print } from './output.ts';
import { openTarget } from './target.ts';

const fetchCaches = new Command('fetch')
  .description('have each function make its code cache, for the next deployment; can be repeated')
  .argument('<directory>', 'where the caches go; earlier ones there are removed')
  .addHelpText('after', examples('code-cache fetch .local/code-cache'))
  .action(async (directory: string, _options: object, command: Command) => {
    const { stack } = await openTarget(command);
    const made = new Map<string, Buffer>();
    let [taken, refused] = [0, 0];
    for (const { operation } of await loadOperations()) {
      const given = await ask(`${stack}-${operation.id}`);
      made.set(cacheFileOf(given.code_sha256), Buffer.from(given.cache, 'base64'));
      if (given.taken) taken++;
      if (given.taken === false) refused++;
    }
    await replace(directory, made);
    const bytes = [...made.values()].reduce((sum, { length }) => sum + length, 0);
    const answer = { caches: made.size, megabytes: Math.round(bytes / 1e6), taken, refused };
    print(command, { ...answer, directory }, [answer]);
  });

const ask = async (name: string): Promise<GivenCache> => {
  const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
  const Payload = JSON.stringify(cacheRequest);
  const answer = await new LambdaClient().send(new InvokeCommand({ FunctionName: name, Payload }));
  const given = JSON.parse(answer.Payload?.transformToString() || 'null');
  if (typeof given?.cache === 'string') return given;
  const why = answer.FunctionError ? `: ${given?.errorMessage}` : '. Deploy this version first.';
  throw new CliError(`${name} gives no code cache${why}`);
};

const cacheName = /^[\da-f]{64}\.cache$/;

/** Nothing is removed before all caches are there. */
const replace = async (directory: string, made: ReadonlyMap<string, Buffer>): Promise<void> => {
  await mkdir(directory, { recursive: true });
  for (const [name, cache] of made) await writeFile(join(directory, name), cache);
  for (const name of await readdir(directory)) {
    if (cacheName.test(name) && !made.has(name)) await rm(join(directory, name));
  }
};

export const codeCache = new Command('code-cache')
  .description('let functions start faster, with what V8 has compiled')
  .addCommand(fetchCaches);
