import type { FeedConsumer } from './kinds/feed-consumer.ts';
import type { AnyOperation } from './kinds/operation.ts';
import type { AnyPlatformOperation } from './kinds/platform-operation.ts';
import type { AnyQueueConsumer } from './kinds/queue-consumer.ts';
import type { AnyScheduledTask } from './kinds/scheduled-task.ts';
import type { AnyStreamConsumer } from './kinds/stream-consumer.ts';
import type { AnyUserOperation } from './kinds/user-operation.ts';
import type { AnyWorker } from './kinds/worker.ts';

/** An operation with a route. */
export type RoutedOperation = AnyOperation | AnyUserOperation | AnyPlatformOperation;

/** Whether an operation acts in the organization that `X-Organization-Id` names. */
export const isInOrganization = (operation: RoutedOperation): operation is AnyOperation =>
  (operation.scope ?? 'organization') === 'organization';

/** What a file under `functions/` defines: who starts the function, by its kind. */
export type Definition =
  | (RoutedOperation & { kind: 'routed' })
  | (AnyQueueConsumer & { kind: 'queue' })
  | (AnyStreamConsumer & { kind: 'stream' })
  | (FeedConsumer & { kind: 'stream' })
  | (AnyWorker & { kind: 'worker' })
  | (AnyScheduledTask & { kind: 'scheduled' });

/** Whether a function may send wakes: those that nobody waits for, but the one that has no part in the table. */
export const sendsWakes = (definition: Definition): boolean =>
  definition.kind === 'worker' ||
  definition.kind === 'scheduled' ||
  (definition.kind === 'stream' && definition.takes === 'additions');
