import * as z from 'zod/mini';
import { type Fact, FactKind } from '../../facts/fact.ts';
import { storedOrigin } from '../../facts/origin.ts';
import { numberAttributes, places } from '../../table/keys.ts';
import { counterKinds, limitPeriods } from '../terms/limit-terms.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { behindLedger, refuseStored } from './wallet-invariant.ts';

const low = { type: z.literal('stars.low'), threshold: z.number(), available_stars: z.number() };
const depleted = { type: z.literal('stars.depleted') };
/** The limit of a spender or feature, and what was used of it within the period. */
const ofLimit = {
  kind: z.enum(counterKinds),
  name: z.string(),
  by_default: z.boolean(),
  period: z.enum(limitPeriods),
  stars: z.number(),
  used_stars: z.number(),
  resets_at: z.nullable(z.string()),
};
const limitLow = { type: z.literal('spend_limit.low'), ...ofLimit, alert_at: z.number() };
const limitReached = { type: z.literal('spend_limit.reached'), ...ofLimit };
const notice = z.discriminatedUnion('type', [
  z.object(low),
  z.object(depleted),
  z.object(limitLow),
  z.object(limitReached),
]);
/** A change of its own in the feed, told beside the ledger entry that caused it, in the same transaction. */
export type Notice = z.output<typeof notice>;

const ofEntry = { ...numberAttributes, ...storedOrigin, version: z.int(), at: z.iso.datetime() };

export const noticeKind = new FactKind(places.notice, {
  thing: places.wallet,
  refused: behindLedger,
  holds: 'what is told beside a ledger entry',
  attributes: z.discriminatedUnion('type', [
    z.object({ ...ofEntry, ...low }),
    z.object({ ...ofEntry, ...depleted }),
    z.object({ ...ofEntry, ...limitLow }),
    z.object({ ...ofEntry, ...limitReached }),
  ]),
  refuse: refuseStored,
});

/** `index` counts the notices of an entry, which has to say how many there are: see `numbering.ts`. */
export const noticeFact = (
  organizationId: string,
  { version, at, user_id: by, request_id: requestId }: LedgerEntry,
  index: number,
  one: Notice,
): Fact =>
  noticeKind.fact(
    { organizationId, index: String(index) },
    { version, at, ...one },
    { by, requestId },
  );
