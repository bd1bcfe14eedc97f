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

/** The definition in a file under `functions/`: its kind says who starts the function. */
export type Definition =
  | (RoutedOperation & { kind: 'routed' })
  | AnyQueueConsumer
  | AnyStreamConsumer
  | FeedConsumer
  | AnyWorker
  | AnyScheduledTask;

/** Whether a function may send wakes: only functions may that nobody waits for, and that have a part in the table. */
export const sendsWakes = (definition: Definition): boolean =>
  definition.kind === 'worker' ||
  (definition.kind === 'scheduled' && definition.needs === 'wakes') ||
  (definition.kind === 'stream' && definition.takes === 'additions');
