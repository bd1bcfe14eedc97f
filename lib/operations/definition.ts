import type { AnyInternalOperation } from './internal-operation.ts';
import type { NumberedItemConsumer } from './numbered-item-consumer.ts';
import type { AnyOperation } from './operation.ts';
import type { AnyQueueConsumer } from './queue-consumer.ts';
import type { AnyScheduledTask } from './scheduled-task.ts';
import type { AnyStreamConsumer } from './stream-consumer.ts';
import type { AnyUserOperation } from './user-operation.ts';
import type { AnyWorker } from './worker.ts';

/** An operation with a route. */
export type RoutedOperation = AnyOperation | AnyUserOperation;

/** What a file under `functions/` defines: who starts the function, by its kind. */
export type Definition =
  | (RoutedOperation & { kind: 'routed' })
  | (AnyInternalOperation & { kind: 'internal' })
  | (AnyQueueConsumer & { kind: 'queue' })
  | (AnyStreamConsumer & { kind: 'stream' })
  | (NumberedItemConsumer & { kind: 'stream' })
  | (AnyWorker & { kind: 'worker' })
  | (AnyScheduledTask & { kind: 'scheduled' });

/** Whether a function may send wakes: those that nobody waits for, but the one that has no part in the table. */
export const sendsWakes = (definition: Definition): boolean =>
  definition.kind === 'worker' ||
  definition.kind === 'scheduled' ||
  (definition.kind === 'stream' && definition.takes === 'additions');
