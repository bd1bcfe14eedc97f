import { CliError, credentials, region } from '@leads-and-stars/runner';
import type { Command } from 'commander';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import type { Ready } from '../service/ready-file.ts';
import { runningService, type Wanted } from '../service/running-service.ts';
import { NotFoundError } from './outcomes.ts';

/**
 * The table that a command acts on: of a deployed stack where one is named, else of the runner on this machine. The
 * SDK's clients find it by the environment.
 */
export const openTarget = async (command: Command): Promise<TableClient> => {
  const { stack, ...wanted } = command.optsWithGlobals<Wanted & { stack?: string }>();
  if (stack === undefined) {
    await useRunner(wanted);
    return patientTable();
  }
  if (wanted.readyFile) throw new CliError('Give one of --stack and --ready-file.');
  if (wanted.port) throw new CliError('Give one of --stack and --port.');
  useTable(await outputsOf(stack));
  return patientTable();
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
    AWS_REGION: region,
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

/** The outputs of a deployed stack, by name. Throws for a missing output, unless there is another value for it. */
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
      throw withAdvice(error, stack);
    });
  return (name, otherwise) => {
    const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name);
    const value = output?.OutputValue ?? otherwise;
    if (!value) throw new CliError(`The stack ${stack} has no output ${name}.`);
    return value;
  };
};

/** Names what to set, where the SDK says only what it misses. */
const withAdvice = (error: Error, stack: string): Error => {
  if (error.name === 'ValidationError' && error.message.endsWith('does not exist')) {
    return new NotFoundError(`There is no stack ${stack}.`);
  }
  if (error.message === 'Region is missing') {
    return new CliError('No region is known: set AWS_REGION.');
  }
  if (error.name === 'CredentialsProviderError') {
    return new CliError(`${error.message}: set AWS_PROFILE.`);
  }
  return error;
};
