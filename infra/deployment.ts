import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import { refuseExamples } from './example-addresses.ts';
import { checkOptions, OptionError, type StackOptions } from './options.ts';
import { defaultStackName } from './stack-name.ts';

/** One stack of the service, with its options. */
export interface Deployment {
  stackName: string;
  options: StackOptions;
}

const directory = join(import.meta.dirname, '../deployments');

/** The deployment that a bare `cdk deploy` makes. It needs no file. */
const defaultName = 'default';

/** A function's name is the stack's and the operation's. Together they have 64 characters at most. */
export const mostOfName = 26;

/**
 * The deployment that `-c deployment=name` names, with the options in `deployments/<name>.json`. The stack has the
 * deployment's name, so that no command can give one stack the options of another. The runner has its own options.
 */
export const readDeployment = (app: App, files = directory): Deployment => {
  refuseOtherContext(app);
  const name: unknown = app.node.tryGetContext('deployment') ?? defaultName;
  const stackName = stackNameOf(name);
  const ofRunner = app.node.tryGetContext('runner:options');
  if (ofRunner !== undefined) return { stackName, options: checkOptions(JSON.parse(ofRunner)) };
  const file = join(files, `${name}.json`);
  if (existsSync(file)) return { stackName, options: optionsIn(file, `deployments/${name}.json`) };
  if (name === defaultName) return { stackName, options: {} };
  const there = existsSync(files) ? readdirSync(files).join(', ') : '';
  throw new OptionError(
    `There is no deployments/${name}.json. There is ${there || 'none'}. One with {} has no options`,
  );
};

/** CDK ignores a mistyped name in silence, and also an option that belongs in a deployment's file. */
const refuseOtherContext = (app: App): void => {
  for (const name of Object.keys(app.node.getAllContext())) {
    // The CDK's own settings, and the runner's, have names with `:`, `/` or `-`.
    if (name === 'deployment' || !/^\w+$/.test(name)) continue;
    throw new OptionError(
      `-c ${name} is not an option. The only one is -c deployment=NAME: the others are in deployments/NAME.json`,
    );
  }
};

const stackNameOf = (name: unknown): string => {
  if (typeof name !== 'string' || !/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name)) {
    throw new OptionError(
      '-c deployment takes a name such as production: small letters, digits and hyphens',
    );
  }
  if (name.length > mostOfName) {
    throw new OptionError(`-c deployment is longer than ${mostOfName} characters`);
  }
  return name === defaultName ? defaultStackName : `${defaultStackName}-${name}`;
};

const optionsIn = (path: string, file: string): StackOptions => {
  try {
    const options = checkOptions(JSON.parse(readFileSync(path, 'utf8')));
    refuseExamples(options);
    return options;
  } catch (error) {
    if (error instanceof OptionError || error instanceof SyntaxError) {
      throw new OptionError(`${file}: ${error.message}`);
    }
    throw error;
  }
};
