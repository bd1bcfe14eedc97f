import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { adminClient } from '@leads-and-stars/runner';
import { TableClient } from '../../../lib/table/client.ts';
import type { TimeBounds } from '../../../lib/table/retry.ts';

/** What a table is asked, by the SDK's name of it and its input. */
export interface StoreRequest {
  operation: 'Get' | 'BatchGet' | 'Query' | 'TransactWrite' | 'Update';
  // biome-ignore lint/suspicious/noExplicitAny: inputs of every shape.
  input: any;
}

/** What happens to a request. `pass` carries it out, or one with another input. */
export type StoreStep = (
  request: StoreRequest,
  // biome-ignore lint/suspicious/noExplicitAny: outputs of every shape.
  pass: (input?: any) => Promise<any>,
) => Promise<unknown>;

/** The table in the test's own process, which fails, or has others come in between, as it is told. */
export class FaultStore {
  readonly #engine: DynamoDBDocumentClient;
  readonly #name: string;
  readonly #step: StoreStep;

  constructor(
    step: StoreStep,
    {
      endpoint = String(process.env.AWS_ENDPOINT_URL_DYNAMODB),
      name = String(process.env.TABLE_NAME),
    } = {},
  ) {
    const marshallOptions = { removeUndefinedValues: true };
    this.#engine = DynamoDBDocumentClient.from(adminClient(endpoint), { marshallOptions });
    this.#name = name;
    this.#step = step;
  }

  /** For a request within these bounds. */
  table(bounds?: TimeBounds): TableClient {
    return new TableClient(this as unknown as DynamoDBDocumentClient, this.#name, bounds);
  }

  /** As the SDK's client does. */
  send(command: { input: object }, options?: object): Promise<unknown> {
    const Command = command.constructor as new (input: object) => never;
    const operation = Command.name.replace(/Command$/, '') as StoreRequest['operation'];
    return this.#step({ operation, input: command.input }, (input = command.input) =>
      this.#engine.send(new Command(input), options),
    );
  }
}

/** What DynamoDB throws while another transaction has one of the items. */
export const conflict = () =>
  Object.assign(new Error('injected'), {
    name: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'TransactionConflict' }],
  });
