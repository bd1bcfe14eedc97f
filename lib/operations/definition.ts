import type { AgentEndpoint } from './kinds/agent-endpoint.ts';
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

/** What is served at a path of the API. */
export type Routed = RoutedOperation | AgentEndpoint;

export const hasRoute = (
  definition: Definition,
): definition is Extract<Definition, { kind: 'routed' | 'agent' }> =>
  definition.kind === 'routed' || definition.kind === 'agent';

/** Whether what is served acts in the organization that `X-Organization-Id` names. */
export const needsOrganization = ({ scope = 'organization' }: Pick<Routed, 'scope'>): boolean =>
  scope === 'organization';

/** Whether an operation acts in an organization. */
export const isInOrganization = (operation: RoutedOperation): operation is AnyOperation =>
  needsOrganization(operation);

/** The definition in a file under `functions/`: its kind says who starts the function. */
export type Definition =
  | (RoutedOperation & { kind: 'routed' })
  | AgentEndpoint
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
