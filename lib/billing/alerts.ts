import * as z from 'zod/mini';
import { compare } from '../table/condition.ts';
import { ConflictError } from '../table/retry.ts';
import type { Write } from '../table/table.ts';
import { update } from '../table/write.ts';
import { type Wallet, walletKind } from './stored/wallet.ts';
import { threshold } from './terms/stars.ts';

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
  before: Wallet,
): Write<'UpdateItem'> =>
  update(
    walletKind.key({ organizationId }),
    { set: { thresholds: [...thresholds] } },
    {
      condition: compare('thresholds', '=', before.thresholds),
      refused: () => new ConflictError(),
    },
  );
