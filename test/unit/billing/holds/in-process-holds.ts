import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, vi } from 'vitest';
import { extensionUpdate, toHold } from '../../../../lib/billing/holds/hold.ts';
import { captureUpdate, releaseUpdate, toHoldEnd } from '../../../../lib/billing/holds/hold-end.ts';
import { holdUpdate, toNewHold } from '../../../../lib/billing/holds/new-hold.ts';
import { readBalance } from '../../../../lib/billing/read-balance.ts';
import type { Purpose } from '../../../../lib/billing/terms/purpose.ts';
import { changeWallet } from '../../../../lib/billing/writer/change-wallet.ts';
import type { UpdateContent } from '../../../../lib/billing/writer/wallet-update.ts';
import type { Organization } from '../../support.ts';
import { change, changing, historyOf, soon, table } from '../in-process-wallet.ts';

// Holds as they are stored.

/** From now on it is this time, until `vi.useRealTimers()`. Only for dates: timers are real. */
export const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time });
export const iso = (time: number) => new Date(time).toISOString();

/** When the test began, in a file that has called `useStillClock`. */
export let now: number;
/** For all tests of a file: it stays `now` until `at` says otherwise. */
export const useStillClock = (): void => {
  beforeEach(() => {
    now = Date.now();
    at(now);
  });
  afterEach(() => void vi.useRealTimers());
};

export const limited = () => table.during({ deadline: soon() });
export const named = ({ id }: Organization, hold_id: string = randomUUID()) => ({
  organization_id: id,
  hold_id,
});
type Named = ReturnType<typeof named>;
const make = async ({ organization_id }: Named, content: UpdateContent) =>
  (await changeWallet(changing(limited()), change(organization_id, content))).record;
export const held = async (
  one: Named,
  stars: number,
  expires_in_seconds = 600,
  purpose: Purpose = {},
) => {
  const input = { stars, expires_in_seconds, ...purpose };
  return toNewHold(one.hold_id, await make(one, holdUpdate(one.hold_id, input)));
};
export const captured = async (one: Named, stars?: number) =>
  toHoldEnd(await make(one, captureUpdate(one.hold_id, { stars })));
export const released = async (one: Named) =>
  toHoldEnd(await make(one, releaseUpdate(one.hold_id)));
export const extended = async (one: Named, seconds: number) =>
  toHold(one.hold_id, await make(one, extensionUpdate(one.hold_id, seconds)), Date.now());
export const balanceOf = ({ id }: Organization, time?: number) =>
  readBalance(table, id, Date.now(), time);
export const typesOf = async (organization: Organization) =>
  (await historyOf(organization)).map(({ type }: { type: string }) => type);
