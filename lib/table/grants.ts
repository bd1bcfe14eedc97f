import type { IndexName } from './keys.ts';

/** IAM actions on the table itself (`dynamodb:<action>`); `Query <index>` is `Query` on an index. */
export type ReadGrant = 'GetItem' | 'BatchGetItem' | 'Query' | `Query ${IndexName}`;
export type WriteGrant = 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheckItem';
export type Grant = ReadGrant | WriteGrant;
