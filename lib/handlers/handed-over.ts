import type { Context, SQSBatchResponse, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import type { AnyStreamConsumer } from '../operations/kinds/background.ts';
import type { Wakes } from '../queues/wakes.ts';
import type { TableClient } from '../table/client.ts';
import type { Key } from '../table/keys.ts';
import { timeBoundsOf } from '../table/retry.ts';
import { writeLine } from './log.ts';
import { mayPass, measure } from './measurement.ts';

/**
 * Milliseconds for which a message is retried whose failure is not transient. Then it is set aside, with a line in the
 * log: otherwise it would hold up all others of its organization.
 */
export const setAsideAfterMs = 5 * 60 * 1000;

/** The messages of an organization have this many groups. A worker numbers one group, about 175 changes a second. */
export const groupsOfOrganization = 3;

/** A group of the organization, by chance: the order of its messages does not matter. */
export const groupOf = (organizationId: string): string =>
  `${organizationId}.${Math.floor(Math.random() * groupsOfOrganization)}`;

const body = z.strictObject({
  organization_id: z.string(),
  keys: z.array(z.strictObject({ pk: z.string(), sk: z.string() })),
});

interface Message {
  id: string;
  organizationId: string;
  keys: readonly Key[];
  sentAt: number;
}

/** Puts keys of an organization into the form in which the queue brings them. */
export const toBody = (organizationId: string, keys: readonly Key[]): z.output<typeof body> => ({
  organization_id: organizationId,
  keys: keys.map(({ pk, sk }) => ({ pk, sk })),
});

/**
 * Does what the stream's function handed over: all messages of an organization together, as SQS gives nobody else any of
 * their groups meanwhile. Where they fail, and not for a moment, each is tried by itself.
 */
export const handleMessages = async (
  consumer: AnyStreamConsumer,
  records: readonly SQSRecord[],
  context: Context,
  { table: whole, wakes }: { table: TableClient; wakes: Wakes },
): Promise<SQSBatchResponse> => {
  const limit = timeBoundsOf(context);

  /** Answers the messages that are to be given again. */
  const handle = async (organizationId: string, messages: Message[]): Promise<Message[]> => {
    const startedAt = Date.now();
    const keys = messages.flatMap((message) => message.keys);
    const table = whole.during(limit);
    const { error, metrics } = await measure(table, () =>
      consumer.handle(organizationId, keys, table, wakes),
    );
    const isOld = ({ sentAt }: Message) => startedAt - sentAt >= setAsideAfterMs;
    const isPassing = error === undefined || mayPass(error);
    const isSetAside = !isPassing && messages.length === 1 && messages.every(isOld);
    const line = {
      operation: consumer.id,
      request_id: context.awsRequestId,
      organization_id: organizationId,
      records: keys.length,
      ...(error && { outcome: isSetAside ? ('set_aside' as const) : ('retried' as const) }),
    };
    writeLine({ ...line, ...metrics }, error);
    if (!error || isSetAside) return [];
    if (isPassing || messages.length === 1) return messages;
    const left: Message[] = [];
    for (const message of messages) left.push(...(await handle(organizationId, [message])));
    return left;
  };

  const messages = Map.groupBy(records.map(toMessage), ({ organizationId }) => organizationId);
  const left = await Promise.all([...messages].map(([id, ofOne]) => handle(id, ofOne)));
  return { batchItemFailures: left.flat().map(({ id }) => ({ itemIdentifier: id })) };
};

const toMessage = ({ messageId, body: text, attributes }: SQSRecord): Message => {
  const { organization_id, keys } = z.parse(body, JSON.parse(text));
  const sentAt = Number(attributes.SentTimestamp);
  return { id: messageId, organizationId: organization_id, keys, sentAt };
};
