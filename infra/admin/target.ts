import { existsSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { Command } from 'commander';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import { CliError } from '../cli/cli-error.ts';
import { region as localRegion } from '../local/account.ts';
import { readReadyFile, readyFile } from '../local/commands/ready-file.ts';
import { credentialsFor } from '../local/table/engine-client.ts';
import { defaultStackName } from '../stack-name.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readyFile?: string;
  stack?: string;
  profile?: string;
  region?: string;
  json?: boolean;
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
    await useRunner(options.readyFile ?? readyFile);
    return { stack: defaultStackName, table: patientTable() };
  }
  if (options.readyFile) throw new CliError('Give one of --stack and --ready-file.');
  if (options.profile) process.env.AWS_PROFILE = options.profile;
  if (options.region) process.env.AWS_REGION = options.region;
  process.env.TABLE_NAME = await tableOf(options.stack);
  return { stack: options.stack, table: patientTable() };
};

/** In milliseconds: how long a write is tried again while others come between. */
const patience = 10_000;

const patientTable = (): TableClient => openTable().during({ deadline: Date.now() + patience });

const useRunner = async (file: string): Promise<void> => {
  if (!existsSync(file)) {
    throw new CliError(
      `There is no ${file}: start the service with npm run dev, or name a deployed one with --stack NAME.`,
    );
  }
  const { dynamodb_endpoint, lambda_endpoint, table_name } = (await readReadyFile(file)) ?? {};
  if (!dynamodb_endpoint || !lambda_endpoint || !table_name) {
    throw new CliError(`${file} is not a file that npm run dev has written.`);
  }
  // Someone's own profile would be asked before the credentials here.
  delete process.env.AWS_PROFILE;
  const credentials = credentialsFor(dynamodb_endpoint);
  Object.assign(process.env, {
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb_endpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambda_endpoint,
    TABLE_NAME: table_name,
  });
};

const tableOf = async (stack: string): Promise<string> => {
  const client = new CloudFormationClient();
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName');
  if (!output?.OutputValue) throw new CliError(`The stack ${stack} has no output TableName.`);
  return output.OutputValue;
};
