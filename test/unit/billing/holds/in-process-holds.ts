import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, vi } from 'vitest';
import { captureHold, releaseHold } from '../../../../lib/billing/holds/end-hold.ts';
import { extendHold } from '../../../../lib/billing/holds/extend-hold.ts';
import { putHold } from '../../../../lib/billing/holds/put-hold.ts';
import { readBalance } from '../../../../lib/billing/read-balance.ts';
import type { Purpose } from '../../../../lib/billing/terms/purpose.ts';
import { changeWallet, type WalletUpdate } from '../../../../lib/billing/writer/change-wallet.ts';
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
const make = async <T>({ organization_id }: Named, update: WalletUpdate<T>) =>
  (await changeWallet(changing(limited()), change(organization_id, update))).outcome;
export const held = (one: Named, stars: number, expires_in_seconds = 600, purpose: Purpose = {}) =>
  make(one, putHold(one.hold_id, { stars, expires_in_seconds, ...purpose }));
export const captured = (one: Named, stars?: number) =>
  make(one, captureHold(one.hold_id, { stars }));
export const released = (one: Named) => make(one, releaseHold(one.hold_id));
export const extended = (one: Named, seconds: number) =>
  make(one, extendHold(one.hold_id, seconds));
export const balanceOf = ({ id }: Organization, time?: number) =>
  readBalance(table, id, Date.now(), time);
export const typesOf = async (organization: Organization) =>
  (await historyOf(organization)).map(({ type }: { type: string }) => type);
