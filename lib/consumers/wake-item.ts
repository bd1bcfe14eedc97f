import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { places } from '../table/keys.ts';
import { Kind } from '../table/kind.ts';
import type { Write } from '../table/table.ts';
import { put } from '../table/write.ts';

export const wakeKind = new Kind(places.wake, {
  holds: 'have what follows an organization looked at',
  attributes: z.object({ expires_at: z.int() }),
});

/** Wakes all that follows the organization after what makes no fact: by way of the table's stream. */
export const putWake = (organizationId: string, now: number): Write<'PutItem'> =>
  put(wakeKind.key({ organizationId, wakeId: randomUUID() }), {
    expires_at: Math.floor(now / 1000) + 24 * 60 * 60,
  });
