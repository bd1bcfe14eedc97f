import type {
  AnyQueueConsumer,
  AnyScheduledTask,
  AnyStreamConsumer,
  AnyWorker,
  FeedConsumer,
} from './kinds/background.ts';
import type { AnyCallerOperation } from './kinds/caller-operation.ts';
import type { AnyOperation } from './kinds/operation.ts';

/** An operation with a route. */
export type RoutedOperation = AnyOperation | AnyCallerOperation;

/** Whether an operation acts in the organization that `X-Organization-Id` names. */
export const isInOrganization = (operation: RoutedOperation): operation is AnyOperation =>
  (operation.scope ?? 'organization') === 'organization';

/** What a file under `functions/` defines: who starts the function, by its kind. */
export type Definition =
  | (RoutedOperation & { kind: 'routed' })
  | AnyQueueConsumer
  | AnyStreamConsumer
  | FeedConsumer
  | AnyWorker
  | AnyScheduledTask;

/** Whether a function may send wakes: those that nobody waits for, but the one that has no part in the table. */
export const sendsWakes = (definition: Definition): boolean =>
  definition.kind === 'worker' ||
  definition.kind === 'scheduled' ||
  (definition.kind === 'stream' && definition.takes === 'additions');
