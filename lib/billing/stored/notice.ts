import * as z from 'zod/mini';
import { absent } from '../../table/condition.ts';
import { numberAttributes, ordinal, places } from '../../table/keys.ts';
import { Kind } from '../../table/kind.ts';
import type { Write } from '../../table/table.ts';
import { put } from '../../table/write.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { refuseStored } from './wallet-invariant.ts';

const low = { type: z.literal('stars.low'), threshold: z.number(), available_stars: z.number() };
const depleted = { type: z.literal('stars.depleted') };
const notice = z.discriminatedUnion('type', [z.object(low), z.object(depleted)]);
/** A change of its own in the feed, told beside the ledger entry that caused it, in the same transaction. */
export type Notice = z.output<typeof notice>;

const ofEntry = { ...numberAttributes, version: z.int(), at: z.iso.datetime() };

export const noticeKind = new Kind(places.notice, {
  holds: 'what is told beside a ledger entry',
  attributes: z.discriminatedUnion('type', [
    z.object({ ...ofEntry, ...low }),
    z.object({ ...ofEntry, ...depleted }),
  ]),
  refuse: refuseStored,
});

/** `place` counts the notices of an entry, which has to say how many there are: see `numbering.ts`. */
export const putNotice = (
  organizationId: string,
  { version, at }: LedgerEntry,
  place: number,
  one: Notice,
): Write<'PutItem'> =>
  put(
    noticeKind.key({ organizationId, version: ordinal(version), place: String(place) }),
    { version, at, ...one },
    { condition: absent },
  );
