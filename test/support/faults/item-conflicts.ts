import { setTimeout as wait } from 'node:timers/promises';
import { cancelled } from './failure-replies.ts';
import type { Step } from './step.ts';

/** How long a transaction holds its items: about as long as in DynamoDB. */
const holdsMs = 10;

interface Written {
  TableName: string;
  Key?: object;
  Item?: { pk: unknown; sk: unknown };
}
type Keyed = Record<string, Written>;

/** Refuses a transaction while another has one of its items, as DynamoDB does and the engines do not. */
export class ItemConflicts {
  readonly #held = new Set<string>();
  conflicts = 0;

  readonly step: Step = async (request, pass) => {
    if (request.operation !== 'TransactWriteItems') return pass();
    const text = request.body.toString();
    const keys = (JSON.parse(text).TransactItems as Keyed[]).map(keyOf);
    const why = keys.map((key) => (this.#held.has(key) ? 'TransactionConflict' : 'None'));
    if (why.includes('TransactionConflict')) {
      this.conflicts++;
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

const keyOf = (write: Keyed): string => {
  const { Key, Item } = Object.values(write)[0]!;
  const { pk, sk } = (Key ?? Item) as { pk: unknown; sk: unknown };
  return JSON.stringify({ pk, sk });
};
