import * as z from 'zod/mini';
import { ApiError } from '../errors/errors.ts';
import { type Condition, compare } from '../table/condition.ts';
import type { AttributesOf } from '../table/kind.ts';
import type { Table, Write } from '../table/table.ts';
import { update, withoutFact } from '../table/write.ts';
import { type Counts, organizationKind } from './organization.ts';

/** The most of each that an organization can have. */
export const mostPipelines = 50;
export const mostMembers = 1000;
export const mostWebhooks = 10;
/** An API key counts until it is revoked, also when it has expired: time changes no count. */
export const mostApiKeys = 100;

const resourceCount = () => z.int().check(z.gte(0), z.lte(mostMembers));
const limit = z.strictObject({ used: resourceCount(), most: resourceCount() });

/** How much of each limit an organization has used. */
export const limits = z
  .strictObject({ pipelines: limit, members: limit, webhooks: limit, keys: limit })
  .check(z.meta({ id: 'Limits' }));

export const limitsOf = (counts: Counts): z.output<typeof limits> => ({
  pipelines: { used: counts.pipelines, most: mostPipelines },
  members: { used: counts.members, most: mostMembers },
  webhooks: { used: counts.webhooks, most: mostWebhooks },
  keys: { used: counts.api_keys, most: mostApiKeys },
});

/** Whether an organization has webhooks, strongly consistent. */
export const hasWebhooks = async (
  table: Table<'GetItem'>,
  organizationId: string,
): Promise<boolean> => {
  const organization = await table.get(organizationKind.key({ organizationId }));
  return (organization?.webhooks ?? 0) > 0;
};

/** Counts one more pipeline. Refused with `limit_reached` beyond the most pipelines. */
export const countPipeline = (organizationId: string): Write<'UpdateItem'> =>
  count(organizationId, { pipelines: 1 }, compare('pipelines', '<', mostPipelines));

/** Refused with `limit_reached` beyond the most webhooks. */
export const countWebhooks = (organizationId: string, change: -1 | 1): Write<'UpdateItem'> =>
  count(
    organizationId,
    { webhooks: change },
    change > 0 ? compare('webhooks', '<', mostWebhooks) : undefined,
  );

/** Refused with `limit_reached` beyond the most API keys. */
export const countApiKeys = (organizationId: string, change: -1 | 1): Write<'UpdateItem'> =>
  count(
    organizationId,
    { api_keys: change },
    change > 0 ? compare('api_keys', '<', mostApiKeys) : undefined,
  );

/** Refused with `limit_reached` beyond the most members, and with `last_owner` for the last owner. */
export const countMembers = (
  organizationId: string,
  members: -1 | 0 | 1,
  owners: -1 | 0 | 1,
): Write<'UpdateItem'>[] => {
  if (members === 0 && owners === 0) return [];
  const change = { members, owners };
  // A member who joins never takes an owner away, so at most one condition is needed.
  if (owners < 0) return [count(organizationId, change, compare('owners', '>', 1), 'last_owner')];
  const isRoom = members > 0 ? compare('members', '<', mostMembers) : undefined;
  return [count(organizationId, change, isRoom)];
};

const count = (
  organizationId: string,
  add: Partial<Counts>,
  condition?: Condition<AttributesOf<typeof organizationKind>>,
  code: 'last_owner' | 'limit_reached' = 'limit_reached',
): Write<'UpdateItem'> =>
  withoutFact(
    update(
      organizationKind.key({ organizationId }),
      { add },
      { condition, refused: condition && (() => new ApiError(code)) },
    ),
  );
