import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { synthesize } from '../../infra/local/template/synthesize.ts';

const app = join(import.meta.dirname, '../../infra/app.ts');

/** The template that the app makes with this context. */
export const synthesized = async (context: Record<string, string> = {}): Promise<Template> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-stack-'));
  try {
    await synthesize(app, directory, context);
    const file = join(directory, `${context.stack ?? 'LeadsAndStars'}.template.json`);
    return Template.fromJSON(JSON.parse(await readFile(file, 'utf8')));
  } finally {
    await rm(directory, { recursive: true });
  }
};
