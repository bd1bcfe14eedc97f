import * as z from 'zod/mini';
import { threshold } from './stars.ts';

const mostThresholds = 5;

/** The body and the answer of `PUT /billing/alerts`. */
export const alerts = z
  .strictObject({
    thresholds: z.array(threshold()).check(
      z.maxLength(mostThresholds),
      z.refine((all) => new Set(all).size === all.length, { error: 'must be different ones' }),
      z.describe('Numbers of available stars: when they fall to one, `stars.low` is sent.'),
    ),
  })
  .check(z.meta({ id: 'Alerts' }));
