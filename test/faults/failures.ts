/** Errors that DynamoDB answers when it is not well, as it writes them. */
export const failures = {
  throttled: (operation: string, body: string) =>
    operation === 'TransactWriteItems'
      ? cancelled(body, 'ThrottlingError')
      : { status: 400, body: error('ProvisionedThroughputExceededException') },
  conflict: (operation: string, body: string) =>
    operation === 'TransactWriteItems' ? cancelled(body, 'TransactionConflict') : undefined,
  'server error': () => ({ status: 500, body: error('InternalServerError') }),
  /** Throttled in the middle of a batch: a success, with what was not read. */
  unprocessed: (operation: string, body: string) =>
    operation === 'BatchGetItem'
      ? { status: 200, body: { Responses: {}, UnprocessedKeys: JSON.parse(body).RequestItems } }
      : undefined,
} satisfies Record<string, (operation: string, body: string) => Answer | undefined>;

export type Failure = keyof typeof failures;

interface Answer {
  status: number;
  body: object;
}

const error = (name: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: 'injected',
});

/** The first item is the one that stood in the way. */
const cancelled = (body: string, Code: string): Answer => {
  const items: unknown[] = JSON.parse(body).TransactItems;
  const CancellationReasons = items.map((_, i) => (i === 0 ? { Code } : { Code: 'None' }));
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${CancellationReasons.map(({ Code }) => Code).join(', ')}]`;
  return {
    status: 400,
    body: { ...error('TransactionCanceledException'), Message, CancellationReasons },
  };
};
