import * as z from 'zod/mini';
import { threshold } from './stars.ts';

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
