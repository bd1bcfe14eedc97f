import { globSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Processes, synthesize } from '@leads-and-stars/runner';
import type { Options } from '../../infra/options.ts';
import { defaultStackName } from '../../infra/stack-name.ts';
import { type Inputs, inputsOf, root } from './inputs.ts';
import { findOrMake } from './kept.ts';

/** Stands for the issuer while its address is not known. */
const anyIssuer = 'https://issuer.invalid';
/**
 * All that the app may be made of. A file that is new needs no check: it is another function, and the bundles are others
 * then, or a file that has changed imports it.
 */
const sources = ['{infra,functions,lib}/**/*.ts', 'package-lock.json', 'tsconfig.json'];

interface Told {
  /** What the app was told. */
  context: Record<string, string>;
  inputs: Inputs;
}

interface App {
  options: Options & { issuer: string };
  /** The directory of the functions' bundles. */
  bundles: string;
}

/**
 * Synthesizes the CDK app into a directory, or copies there what was synthesized from the very same files before. The
 * issuer's address differs from start to start, and nothing depends on it but the template's text: it is filled in last.
 */
export const makeAssembly = async (
  output: string,
  { options: { issuer, ...options }, bundles }: App,
  processes: Processes,
): Promise<void> => {
  const context = {
    'runner:options': JSON.stringify({ ...options, issuer: anyIssuer }),
    'runner:webhooks_to_localhost': 'true',
    'runner:bundles': bundles,
  };
  const { directory } = await findOrMake(
    'assemblies',
    (told: Told) => JSON.stringify(told.context) === JSON.stringify(context),
    async (made) => {
      const from = Date.now();
      await synthesize(join(root, 'infra/app.ts'), join(made, 'cdk.out'), context, processes);
      return { context, inputs: inputsOf(globSync(sources, { cwd: root }), from) };
    },
  );
  await cp(join(directory, 'cdk.out'), output, { recursive: true });
  const template = join(output, `${defaultStackName}.template.json`);
  const text = await readFile(template, 'utf8');
  await writeFile(template, text.replaceAll(anyIssuer, issuer));
};
