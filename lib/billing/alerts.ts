import * as z from 'zod/mini';
import { walletKey } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
import type { Write } from '../table/table.ts';
import { threshold } from './stars.ts';
import type { Wallet } from './wallet.ts';

const mostThresholds = 5;

const fields = {
  thresholds: z.array(threshold()).check(
    z.maxLength(mostThresholds),
    z.refine((all) => new Set(all).size === all.length, { error: 'must be different ones' }),
    z.meta({ uniqueItems: true }),
    z.describe('Numbers of available stars: when they fall to one, `stars.low` is sent.'),
  ),
};

/** The body of `PUT /billing/alerts`. */
export const alertsInput = z.strictObject(fields).check(z.meta({ id: 'AlertsInput' }));

/** The alerts as the API answers them. */
export const alerts = z.strictObject(fields).check(z.meta({ id: 'Alerts' }));

/** Puts thresholds in place of those that were read, and nothing else. Refused with `ConflictError` if there are others by now. */
export const setThresholds = (
  organizationId: string,
  thresholds: readonly number[],
  { thresholds_version: version }: Wallet,
): Write<'UpdateItem'> => ({
  Update: {
    Key: walletKey(organizationId),
    UpdateExpression: 'SET thresholds = :thresholds, thresholds_version = :after',
    ConditionExpression: 'thresholds_version = :before',
    ExpressionAttributeValues: {
      ':thresholds': thresholds,
      ':before': version,
      ':after': version + 1,
    },
  },
  refused: () => new ConflictError(),
});
