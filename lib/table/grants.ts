import type { IndexName } from './keys.ts';

/**
 * IAM actions on the table itself (`dynamodb:<action>`); `Query <index>` is `Query` on an index. `GetItem` goes with
 * `BatchGetItem`: what is asked for at once is one request.
 */
export type ReadGrant = 'GetItem' | 'Query' | `Query ${IndexName}`;
export type WriteGrant = 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';
export type Grant = ReadGrant | WriteGrant;
