import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { organizationKey } from '../table/keys.ts';
import type { Item, Table, Write } from '../table/table.ts';

/** The most of each that an organization can have. */
export const mostPipelines = 50;
export const mostMembers = 1000;
export const mostWebhooks = 10;
/** An API key counts until it is revoked, also when it has expired: time changes no count. */
export const mostApiKeys = 100;

/**
 * The counts are on the organization's own item. The transactions that add and remove also change them, so the
 * limits hold however many requests race.
 */
export interface Counts {
  pipelines: number;
  members: number;
  owners: number;
  webhooks: number;
  /** API keys that are not revoked. */
  api_keys: number;
}

const resourceCount = () => z.int().check(z.gte(0), z.lte(mostMembers));
const limit = z.strictObject({ used: resourceCount(), most: resourceCount() });

/** How much of each limit an organization has used. */
export const limits = z
  .strictObject({ pipelines: limit, members: limit, webhooks: limit, keys: limit })
  .check(z.meta({ id: 'Limits' }));

/** The limits of an organization, by its own item. */
export const limitsOf = (organization: Item | undefined): z.output<typeof limits> => ({
  pipelines: { used: Number(organization?.pipelines), most: mostPipelines },
  members: { used: Number(organization?.members), most: mostMembers },
  webhooks: { used: Number(organization?.webhooks), most: mostWebhooks },
  keys: { used: Number(organization?.api_keys), most: mostApiKeys },
});

/** Counts one more pipeline. Refused with `limit_reached` beyond the most pipelines. */
export const countPipeline = (organizationId: string): Write<'UpdateItem'> =>
  countInto(organizationId, 'pipelines', 1, mostPipelines);

/** Whether an organization has webhooks, strongly consistent. */
export const hasWebhooks = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<boolean> => {
  const [organization] = await table.getAll([organizationKey(organizationId)]);
  return Number(organization?.webhooks) > 0;
};

/** Refused with `limit_reached` beyond the most webhooks. */
export const countWebhooks = (organizationId: string, change: -1 | 1): Write<'UpdateItem'> =>
  countInto(organizationId, 'webhooks', change, mostWebhooks);

/** Refused with `limit_reached` beyond the most API keys. */
export const countApiKeys = (organizationId: string, change: -1 | 1): Write<'UpdateItem'> =>
  countInto(organizationId, 'api_keys', change, mostApiKeys);

const countInto = (
  organizationId: string,
  name: 'pipelines' | 'webhooks' | 'api_keys',
  change: -1 | 1,
  most: number,
): Write<'UpdateItem'> => {
  const Update = {
    Key: organizationKey(organizationId),
    UpdateExpression: `ADD ${name} :change`,
    ExpressionAttributeValues: { ':change': change },
  };
  if (change < 0) return { Update };
  return conditional(Update, `${name} < :bound`, most, 'limit_reached');
};

/** Refused with `limit_reached` beyond the most members, and with `last_owner` for the last owner. */
export const countMembers = (
  organizationId: string,
  members: -1 | 0 | 1,
  owners: -1 | 0 | 1,
): Write<'UpdateItem'>[] => {
  if (members === 0 && owners === 0) return [];
  const Update = {
    Key: organizationKey(organizationId),
    UpdateExpression: 'ADD members :members, owners :owners',
    ExpressionAttributeValues: { ':members': members, ':owners': owners },
  };
  // Who joins never takes an owner away, so at most one condition is needed.
  if (owners < 0) return [conditional(Update, 'owners > :bound', 1, 'last_owner')];
  if (members > 0) return [conditional(Update, 'members < :bound', mostMembers, 'limit_reached')];
  return [{ Update }];
};

const conditional = (
  update: Write<'UpdateItem'>['Update'],
  ConditionExpression: string,
  bound: number,
  code: 'last_owner' | 'limit_reached',
): Write<'UpdateItem'> => ({
  Update: {
    ...update,
    ConditionExpression,
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':bound': bound },
  },
  refused: () => new ApiError(code),
});
