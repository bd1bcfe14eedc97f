import * as z from 'zod/mini';
import { type Fact, FactKind } from '../../facts/fact.ts';
import { storedOrigin } from '../../facts/origin.ts';
import { numberAttributes, places } from '../../table/keys.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { behindLedger, refuseStored } from './wallet-invariant.ts';

const low = { type: z.literal('stars.low'), threshold: z.number(), available_stars: z.number() };
const depleted = { type: z.literal('stars.depleted') };
const notice = z.discriminatedUnion('type', [z.object(low), z.object(depleted)]);
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
