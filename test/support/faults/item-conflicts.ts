import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from './failure-replies.ts';
import type { Pass, ProxyRequest, Step } from './step.ts';

/** How long a transaction holds its items: about as long as in DynamoDB. */
const holdsMs = 10;

interface Written {
  TableName: string;
  Key?: object;
  Item?: { pk: unknown; sk: unknown };
  ConditionExpression?: string;
}
type Keyed = Record<string, Written>;

/**
 * Refuses a transaction while another has one of its items, as DynamoDB does and the engines do not. Its other items are
 * judged all the same: what must be new and is there is a failed condition beside the conflict.
 */
export class ItemConflicts {
  readonly #held = new Set<string>();
  conflicts = 0;
  /** Of these, how many had a failed condition, too. */
  mixed = 0;

  readonly step: Step = async (request, pass) => {
    if (request.operation !== 'TransactWriteItems') return pass();
    const text = request.body.toString();
    const writes = (JSON.parse(text).TransactItems as Keyed[]).map(writtenBy);
    const keys = writes.map(keyOf);
    const isHeld = keys.map((key) => this.#held.has(key));
    if (isHeld.includes(true)) {
      const why = await Promise.all(
        writes.map((write, i) =>
          isHeld[i] ? 'TransactionConflict' : reasonOf(write, request, pass),
        ),
      );
      this.conflicts++;
      if (why.includes('ConditionalCheckFailed')) this.mixed++;
      return cancelled(text, why);
    }
    for (const key of keys) this.#held.add(key);
    try {
      const [reply] = await Promise.all([pass(), wait(holdsMs)]);
      return reply;
    } finally {
      for (const key of keys) this.#held.delete(key);
    }
  };
}

const reasonOf = async (write: Written, request: ProxyRequest, pass: Pass): Promise<string> => {
  if (write.ConditionExpression !== 'attribute_not_exists(pk)') return 'None';
  const target = String(request.headers['x-amz-target']).replace('TransactWriteItems', 'GetItem');
  const { TableName } = write;
  const { body } = await pass({
    ...request,
    operation: 'GetItem',
    headers: { ...request.headers, 'x-amz-target': target },
    body: Buffer.from(JSON.stringify({ TableName, Key: primaryKey(write), ConsistentRead: true })),
  });
  return JSON.parse(body.toString()).Item ? 'ConditionalCheckFailed' : 'None';
};

const writtenBy = (write: Keyed): Written => Object.values(write)[0]!;

const primaryKey = ({ Key, Item }: Written): object => {
  const { pk, sk } = (Key ?? Item) as { pk: unknown; sk: unknown };
  return { pk, sk };
};

const keyOf = (write: Written): string => JSON.stringify(primaryKey(write));
