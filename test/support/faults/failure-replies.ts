import type { ProxyReply } from './step.ts';

/** Errors that DynamoDB answers when it is not well, as it writes them. */
export const failures = {
  throttled: (operation, body) =>
    operation === 'TransactWriteItems'
      ? cancelled(body, 'ThrottlingError')
      : jsonReply(400, error('ProvisionedThroughputExceededException')),
  conflict: (operation, body) =>
    operation === 'TransactWriteItems' ? cancelled(body, 'TransactionConflict') : undefined,
  'server error': () => jsonReply(500, error('InternalServerError')),
  /** Throttled in the middle of a batch: a success, with what was not read. */
  unprocessed: (operation, body) =>
    operation === 'BatchGetItem'
      ? jsonReply(200, { Responses: {}, UnprocessedKeys: JSON.parse(body).RequestItems })
      : undefined,
} satisfies Record<string, (operation: string, body: string) => ProxyReply | undefined>;

export type Failure = keyof typeof failures;

const error = (name: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: 'injected',
});

/** A transaction that was cancelled for its first item, or for the reasons of each. */
export const cancelled = (body: string, why: string | readonly string[]): ProxyReply => {
  const items: unknown[] = JSON.parse(body).TransactItems;
  const codeOf = (i: number) => (typeof why !== 'string' ? why[i] : i === 0 ? why : 'None');
  const CancellationReasons = items.map((_, i) => ({ Code: codeOf(i) }));
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return jsonReply(400, { ...error('TransactionCanceledException'), Message, CancellationReasons });
};

/** A reply as DynamoDB writes them. */
export const jsonReply = (status: number, body: object): ProxyReply => ({
  status,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(JSON.stringify(body)),
});
