import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
} from 'aws-lambda';
import type { AnyStreamConsumer } from '../operations/kinds/stream-consumer.ts';
import type { Wakes } from '../operations/wakes.ts';
import { openTable, type TableClient } from '../table/client.ts';
import { timeBoundsOf } from '../table/deadline.ts';
import { issuerPrefix, type Key } from '../table/keys.ts';
import { openWakes } from '../webhooks/delivery/wakes.ts';
import { writeLine } from './log.ts';
import { isTransient, measure } from './measurement.ts';

/**
 * For so long a record is retried whose failure is not transient. Then it is set aside, with a line in the log:
 * otherwise it would hold up all others of its shard.
 */
export const setAsideAfterMs = 5 * 60 * 1000;

/** What a batch brings for one organization. */
interface OrganizationRecords {
  keys: Key[];
  /** The record that its next delivery has to start with. */
  first: string;
  since: number;
}

/**
 * Makes the Lambda handler of a stream's consumer. Each organization of a batch succeeds or fails by
 * itself; the records of those that failed are named to be retried.
 */
export const serveStream = (consumer: AnyStreamConsumer) => {
  let opened: TableClient | undefined;
  let wakes: Wakes | undefined;
  return async (
    { Records }: DynamoDBStreamEvent,
    context: Context,
  ): Promise<DynamoDBBatchResponse> => {
    opened ??= openTable();
    wakes ??= openWakes();
    const [open, sending] = [opened, wakes];
    const limit = timeBoundsOf(context);

    const handle = async ([organizationId, { keys, since }]: [
      string,
      OrganizationRecords,
    ]): Promise<boolean> => {
      const startedAt = Date.now();
      const table = open.during(limit);
      const { error, metrics } = await measure(table, () =>
        consumer.handle(organizationId, keys, table, sending),
      );
      const isRetried =
        error !== undefined && (isTransient(error) || startedAt - since < setAsideAfterMs);
      const line = {
        operation: consumer.id,
        request_id: context.awsRequestId,
        organization_id: organizationId,
        records: keys.length,
        ...(error && { outcome: isRetried ? ('retried' as const) : ('set_aside' as const) }),
      };
      writeLine({ ...line, ...metrics }, error);
      return isRetried;
    };

    const groups = [...groupByOrganization(consumer, Records)];
    const failed = await Promise.all(groups.map(handle));
    const firsts = groups.filter((_, i) => failed[i]).map(([, { first }]) => first);
    return { batchItemFailures: firsts.map((itemIdentifier) => ({ itemIdentifier })) };
  };
};

/** Whether a record comes only so that its consumers are invoked: infra/stream-mapping.ts. */
export const isHeartbeat = ({ dynamodb }: DynamoDBRecord): boolean =>
  dynamodb?.Keys?.pk?.S?.startsWith(issuerPrefix) ?? false;

const groupByOrganization = (
  consumer: AnyStreamConsumer,
  records: readonly DynamoDBRecord[],
): Map<string, OrganizationRecords> => {
  const groups = new Map<string, OrganizationRecords>();
  for (const record of records) {
    if (isHeartbeat(record)) continue;
    const { dynamodb = {} } = record;
    const key: Key = { pk: dynamodb.Keys?.pk?.S ?? '', sk: dynamodb.Keys?.sk?.S ?? '' };
    const organizationId = consumer.organizationOf(key);
    const group = groups.get(organizationId);
    if (group) group.keys.push(key);
    else {
      const since = (dynamodb.ApproximateCreationDateTime ?? 0) * 1000;
      groups.set(organizationId, { keys: [key], first: dynamodb.SequenceNumber ?? '', since });
    }
  }
  return groups;
};
