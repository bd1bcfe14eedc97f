import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DescribeTableCommandOutput,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { credentials, region } from '../account.ts';
import { CliError } from '../machine/cli-error.ts';
import type { TableProperties } from '../template/assembly.ts';

/** A client for the engine itself, past the functions' permissions. */
export const adminClient = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region,
    credentials,
    maxAttempts: 1,
  });

/** The name of the attribute that is the table's partition key. */
export const partitionKeyOf = ({ KeySchema }: TableProperties): string =>
  (KeySchema as { AttributeName: string; KeyType: string }[]).find(
    ({ KeyType }) => KeyType === 'HASH',
  )!.AttributeName;

/** Makes the template's table, unless the engine has it from an earlier run: that may have ended while it made it. */
export const ensureTable = async (endpoint: string, table: TableProperties): Promise<void> => {
  const client = adminClient(endpoint);
  const found = await describe(client, table.TableName);
  if (found) assertSame(table, found);
  else await create(client, table);
  await ensureTimeToLive(client, table);
};

/** The ARN of a table's stream, which no other table ever has. */
export const streamArnOf = async (endpoint: string, tableName: string): Promise<string> =>
  (await describe(adminClient(endpoint), tableName))?.LatestStreamArn ?? '';

const create = async (client: DynamoDBClient, table: TableProperties): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName: table.TableName,
      KeySchema: table.KeySchema,
      AttributeDefinitions: table.AttributeDefinitions,
      GlobalSecondaryIndexes: table.GlobalSecondaryIndexes,
      BillingMode: table.BillingMode,
      ...(table.StreamSpecification && {
        StreamSpecification: { StreamEnabled: true, ...table.StreamSpecification },
      }),
    } as CreateTableCommandInput),
  );
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 0.1 }, table);
};

const ensureTimeToLive = async (
  client: DynamoDBClient,
  { TableName, TimeToLiveSpecification }: TableProperties,
): Promise<void> => {
  if (!TimeToLiveSpecification) return;
  const { AttributeName } = TimeToLiveSpecification;
  const found = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (found.TimeToLiveDescription?.AttributeName === AttributeName) return;
  const wanted = { AttributeName, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: wanted }));
};

const describe = async (
  client: DynamoDBClient,
  name: string,
): Promise<DescribeTableCommandOutput['Table']> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

const otherVersion = 'was made by another version of the service. Move it away to start afresh.';

const assertSame = (wanted: TableProperties, found: DescribeTableCommandOutput['Table']) => {
  const keys = (schema: unknown) =>
    JSON.stringify(
      (schema as { AttributeName: string }[]).map(({ AttributeName }) => AttributeName),
    );
  const indexes = (list: unknown) =>
    ((list ?? []) as { IndexName: string; KeySchema: unknown }[])
      .map(({ IndexName, KeySchema }) => IndexName + keys(KeySchema))
      .sort()
      .join();
  if (
    keys(wanted.KeySchema) !== keys(found?.KeySchema) ||
    indexes(wanted.GlobalSecondaryIndexes) !== indexes(found?.GlobalSecondaryIndexes)
  ) {
    throw new CliError(`The database ${otherVersion}`);
  }
  const view = (specification?: { StreamViewType?: string | undefined }) =>
    specification?.StreamViewType;
  if (view(wanted.StreamSpecification) !== view(found?.StreamSpecification)) {
    throw new CliError(`The database keeps no stream to make events of: it ${otherVersion}`);
  }
};
