import { type EngineReply, jsonReply } from './engine-proxy.ts';

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
} satisfies Record<string, (operation: string, body: string) => EngineReply | undefined>;

export type Failure = keyof typeof failures;

const error = (name: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: 'injected',
});

/** The items that `concerns` names are those that stood in the way; by default the first. */
export const cancelled = (
  body: string,
  Code: string,
  concerns = (i: number): boolean => i === 0,
): EngineReply => {
  const items: unknown[] = JSON.parse(body).TransactItems;
  const CancellationReasons = items.map((_, i) => ({ Code: concerns(i) ? Code : 'None' }));
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return jsonReply(400, { ...error('TransactionCanceledException'), Message, CancellationReasons });
};
