export {
  type Change,
  type ChangesOptions,
  type ChangeType,
  FeedChangedError,
  type TestMessage,
  type WebhookMessage,
} from './changes.ts';
export { type Client, createClient, type UserClient } from './client.ts';
export {
  ApiError,
  ConnectionError,
  type ErrorCode,
  type ErrorDetail,
  type ReachedLimit,
  RedirectError,
  SpendLimitError,
} from './errors.ts';
export type { ClientOptions, OrganizationClientOptions } from './options.ts';
export type { RetryOptions } from './retry.ts';
export type { components, operations, paths } from './schema.ts';
export type { ApiResponse, CustomFields, FieldValue, ItemOf, ListPath, PathOf } from './types.ts';
