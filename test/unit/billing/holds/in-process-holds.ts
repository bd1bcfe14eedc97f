import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { capture, hold, release } from '../../../../lib/billing/holds/holds.ts';
import { readBalance } from '../../../../lib/billing/read-balance.ts';
import type { Organization } from '../../support.ts';
import { historyOf, soon, table } from '../in-process-wallet.ts';

// Holds as they are stored.

/** From now on it is this time, until the file's own `afterEach`: only the date, timers are real. */
export const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time });

export const limited = () => table.during({ deadline: soon() });
export const named = ({ id }: Organization, hold_id: string = randomUUID()) => ({
  organization_id: id,
  hold_id,
});
type Named = ReturnType<typeof named>;
export const held = (one: Named, stars: number, expires_in_seconds = 600) =>
  hold(limited(), { ...one, stars, expires_in_seconds });
export const captured = (one: Named, stars?: number) => capture(limited(), { ...one, stars });
export const released = (one: Named) => release(limited(), one);
export const balanceOf = ({ id }: Organization, time?: number) =>
  readBalance(table, id, Date.now(), time);
export const typesOf = async (organization: Organization) =>
  (await historyOf(organization)).map(({ type }: { type: string }) => type);
