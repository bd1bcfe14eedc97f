import { CliError, credentials, region as localRegion } from '@leads-and-stars/runner';
import type { Command } from 'commander';
import { defaultStackName } from '../../infra/stack-name.ts';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import type { Ready } from '../dev/ready-file.ts';
import { runningService, type Wanted } from '../dev/running-service.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  port?: number;
  readyFile?: string;
  stack?: string;
  profile?: string;
  region?: string;
}

/** The service that a command acts on. The SDK's clients find it by the environment. */
export interface Target {
  stack: string;
  table: TableClient;
}

/** A deployed stack where one is named, else the runner on this machine. */
export const openTarget = async (command: Command): Promise<Target> => {
  const options = command.optsWithGlobals<GlobalOptions>();
  if (options.stack === undefined) {
    if (options.profile ?? options.region) {
      throw new CliError('--profile and --region go with --stack NAME.');
    }
    await useRunner(options);
    return { stack: defaultStackName, table: patientTable() };
  }
  if (options.readyFile) throw new CliError('Give one of --stack and --ready-file.');
  if (options.port) throw new CliError('Give one of --stack and --port.');
  useAccount(options);
  useTable(await outputsOf(options.stack));
  return { stack: options.stack, table: patientTable() };
};

/** How long a write is retried while others change the same item. */
const retryMs = 10_000;

/** The table of the service, for as long as its writes are retried from now on. */
export const patientTable = (): TableClient =>
  openTable().during({ deadline: Date.now() + retryMs });

/** What the runner on this machine says of itself. Sets the SDK's variables, so that its clients find it. */
export const useRunner = async (wanted: Wanted): Promise<Partial<Ready>> => {
  const ready = await runningService(wanted, ', or name a deployed one with --stack NAME');
  const { dynamodb_endpoint, table_name } = ready;
  if (!dynamodb_endpoint || !table_name) {
    throw new CliError(`${wanted.readyFile} is not a file that npm run dev has written.`);
  }
  // A profile of the user would take precedence over the credentials here.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, {
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb_endpoint,
    TABLE_NAME: table_name,
  });
  return ready;
};

/** Has the table of a stack with these outputs opened. */
export const useTable = (output: (name: string, otherwise?: string) => string): void => {
  process.env.TABLE_NAME = output('TableName');
  // Only a table that was restored has an identity.
  process.env.TABLE_IDENTITY = output('TableIdentity', process.env.TABLE_NAME);
};

/** Makes the SDK's clients use the given profile and region. */
export const useAccount = ({ profile, region }: GlobalOptions): void => {
  if (profile) process.env.AWS_PROFILE = profile;
  if (region) process.env.AWS_REGION = region;
};

/** The outputs of a deployed stack, by name. Throws for one that is missing, unless there is another value for it. */
export const outputsOf = async (
  stack: string,
): Promise<(name: string, otherwise?: string) => string> => {
  const { CloudFormationClient, DescribeStacksCommand } = await import(
    '@aws-sdk/client-cloudformation'
  );
  const client = new CloudFormationClient();
  const { Stacks } = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error) => {
      throw withAdvice(error);
    });
  return (name, otherwise) => {
    const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name);
    const value = output?.OutputValue ?? otherwise;
    if (!value) throw new CliError(`The stack ${stack} has no output ${name}.`);
    return value;
  };
};

/** Names what to set, where the SDK says only what it misses. */
const withAdvice = (error: Error): Error => {
  if (error.message === 'Region is missing') {
    return new CliError('No region is known: give --region, or set AWS_REGION.');
  }
  if (error.name === 'CredentialsProviderError') {
    return new CliError(`${error.message}: give --profile, or set AWS_PROFILE.`);
  }
  return error;
};
