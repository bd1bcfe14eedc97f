import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CliError } from '../machine/cli-error.ts';
import type { Processes } from '../machine/processes.ts';

const run = promisify(execFile);

/** Runs a CDK app in a process of its own, as the CDK command line does. */
export const synthesize = async (
  app: string,
  outputDirectory: string,
  context: Record<string, unknown>,
  processes?: Processes,
): Promise<void> => {
  const env = {
    ...process.env,
    CDK_OUTDIR: outputDirectory,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    // Whether a deployment would take the template is for `cdk synth` to say: it takes as long as all the rest.
    CDK_VALIDATION: 'false',
  };
  const running = run(process.execPath, [app], { env });
  processes?.adopt(running.child);
  await running.catch((error) => {
    throw new CliError(`The CDK app does not synthesize:\n${error.stderr || error.message}`);
  });
};
