import * as z from 'zod/mini';
import { FactKind } from '../facts/fact.ts';
import { settingFact } from '../facts/setting.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { compare } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { ConflictError } from '../table/retry.ts';
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

export const alertTypes = ['alerts.updated'] as const;

export const alertFactKind = new FactKind(places.alertFact, {
  holds: 'what happened to the alerts of a wallet',
  thing: places.wallet,
  attributes: z.object({ ...settingFact, type: z.enum(alertTypes) }),
});

/** Puts thresholds in place of those that were read, and nothing else. Refused with `ConflictError` if there are others by now. */
export const setThresholds = (
  organizationId: string,
  thresholds: readonly number[],
  { alerts_version }: Wallet,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  const version = alerts_version + 1;
  return [
    update(
      walletKind.key({ organizationId }),
      { set: { thresholds: [...thresholds], alerts_version: version } },
      {
        condition: compare('alerts_version', '=', alerts_version),
        refused: () => new ConflictError(),
      },
    ),
    alertFactKind.fact(
      { organizationId },
      {
        type: 'alerts.updated',
        version,
        at: new Date(now).toISOString(),
        changed: ['thresholds'],
      },
    ),
  ];
};
