import { ApiError, forbidden } from '../../errors/errors.ts';
import { fingerprintOf } from '../../schema/fingerprint.ts';
import { type Cause, expiryOf } from '../rules/causes.ts';
import type { EventRecord } from '../stored/event-record.ts';
import { type Hold, sum } from '../stored/lots.ts';
import { isOwn, withOwnSpender } from '../terms/own-spender.ts';
import type { Asker, WalletUpdate } from './wallet-update.ts';

// What is known of an update by the record of its event alone, whatever the wallet has.

export type HoldRecord = EventRecord & { hold: Hold };

/** The record, if it is of a hold that a caller with this spender may see. Throws `not_found` for anything else. */
export const holdRecordOf = (record: EventRecord | undefined, own?: string): HoldRecord => {
  if (!record?.hold || !isOwn(record.hold, own)) throw new ApiError('not_found');
  return { ...record, hold: record.hold };
};

type HoldEndType = NonNullable<EventRecord['hold_end']>['type'];

export const statusAfter = {
  'hold.captured': 'captured',
  'hold.released': 'released',
} as const satisfies Record<HoldEndType, string>;

const toEndedError = (type: HoldEndType): ApiError => new ApiError(`already_${statusAfter[type]}`);

/**
 * The cause of an update. A caller with a spender of its own may spend and hold for that spender, which is filled in, and change
 * its holds, and nothing else. Throws `forbidden`, and `not_found` for a hold of another spender.
 */
export const causeOf = (
  { cause, spender }: WalletUpdate,
  record: EventRecord | undefined,
): Cause => {
  switch (cause.type) {
    case 'stars.spent':
    case 'stars.held':
      return withOwnSpender(cause, spender);
    case 'hold.extended':
    case 'hold.captured':
    case 'hold.released':
      holdRecordOf(record, spender);
      return cause;
    default:
      if (spender !== undefined) {
        throw forbidden('Authorization', `has a key of one spender, which may do no ${cause.type}`);
      }
      return cause;
  }
};

/** Whether an update that waited was carried out: its ticket is in its record. */
export const isCarriedOut = ({ ticket }: WalletUpdate, record: EventRecord | undefined): boolean =>
  ticket !== undefined && (record?.tickets?.includes(ticket) ?? false);

/**
 * Whether a cause has had its effect, by its record at the wallet's time. Throws if by the record it can't have any:
 * `event_id_reused` if that is of another event or hold, `not_found` if it is of no hold, `already_captured` or
 * `already_released` if the hold has ended in another way.
 */
export const isDone = (
  { cause, fingerprint = fingerprintOf(cause), ticket }: Omit<WalletUpdate, keyof Asker>,
  record: EventRecord | undefined,
  now: number,
): boolean => {
  switch (cause.type) {
    case 'hold.extended': {
      const { hold, hold_end: end, extended_to = hold.expires_at } = holdRecordOf(record);
      if (end) throw toEndedError(end.type);
      const expiry = expiryOf(cause, now);
      // Extensions that wait together are decided at one time, and each is one of its own.
      return ticket === undefined ? extended_to >= expiry : extended_to > expiry;
    }
    case 'hold.captured':
    case 'hold.released': {
      const { hold, hold_end: end } = holdRecordOf(record);
      if (!end) return false;
      const asked = cause.type === 'hold.captured' ? (cause.stars ?? sum(hold.lots)) : 0;
      if (end.type !== cause.type || end.asked !== asked) throw toEndedError(end.type);
      return true;
    }
    default:
      if (record && record.fingerprint !== fingerprint) throw toReusedError(cause);
      return record !== undefined;
  }
};

const toReusedError = ({ type }: Cause): ApiError => {
  const path = type === 'stars.held' ? 'hold_id' : 'event_id';
  const details = [{ path, message: 'was used for another event or hold' }];
  return new ApiError('event_id_reused', { details });
};
