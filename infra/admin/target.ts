import { existsSync, readFileSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { Command } from 'commander';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import { CliError } from '../local/cli-error.ts';
import { region as localRegion } from '../local/intrinsics.ts';
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

const defaultReadyFile = '.local/service.json';

/** A deployed stack where one is named, else the runner on this machine. */
export const openTarget = async (command: Command): Promise<Target> => {
  const options = command.optsWithGlobals<GlobalOptions>();
  if (options.stack === undefined) {
    if (options.profile ?? options.region) {
      throw new CliError('--profile and --region go with --stack NAME.');
    }
    useRunner(options.readyFile ?? defaultReadyFile);
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

/** What the runner writes once it serves, as far as it is needed here. */
interface ReadyFile {
  dynamodb_endpoint: string;
  lambda_endpoint: string;
  table_name: string;
}

const useRunner = (file: string): void => {
  if (!existsSync(file)) {
    throw new CliError(
      `There is no ${file}: start the service with npm run dev, or name a deployed one with --stack NAME.`,
    );
  }
  const ready = readReady(file);
  // Someone's own profile would be asked before the credentials here.
  delete process.env.AWS_PROFILE;
  Object.assign(process.env, {
    AWS_REGION: localRegion,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: ready.dynamodb_endpoint,
    AWS_ENDPOINT_URL_LAMBDA: ready.lambda_endpoint,
    TABLE_NAME: ready.table_name,
  });
};

const readReady = (file: string): ReadyFile => {
  try {
    const ready = JSON.parse(readFileSync(file, 'utf8')) as ReadyFile;
    const { dynamodb_endpoint, lambda_endpoint, table_name } = ready;
    if (dynamodb_endpoint && lambda_endpoint && table_name) return ready;
  } catch {
    // As below.
  }
  throw new CliError(`${file} is not a file that npm run dev has written.`);
};

const tableOf = async (stack: string): Promise<string> => {
  const client = new CloudFormationClient();
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'TableName');
  if (!output?.OutputValue) throw new CliError(`The stack ${stack} has no output TableName.`);
  return output.OutputValue;
};
