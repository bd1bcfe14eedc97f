import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
const directory = join(root, '.github/workflows');

/** What GitHub runs. */
export const workflows = readdirSync(directory).map((name) => ({
  name,
  text: readFileSync(join(directory, name), 'utf8'),
}));

/** The workflow in a file. */
export const textOf = (wanted: string): string =>
  workflows.find(({ name }) => name === wanted)!.text;

/** The jobs of a workflow, by their names. */
export const jobsIn = (text: string): Map<string, string> => {
  const [, jobs = ''] = text.split(/^jobs:\n/m);
  return new Map(
    [...jobs.matchAll(/^ {2}(\w+):\n((?: {3,}.*\n|\n)+)/gm)].map(([, name, job]) => [name!, job!]),
  );
};

/** The script of a step. */
export const scriptIn = (job: string): string => {
  const [, block = ''] = /run: \|\n((?: {10}.*\n)+)/.exec(job) ?? [];
  return block;
};
