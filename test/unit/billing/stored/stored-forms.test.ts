import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { toBalance } from '../../../../lib/billing/rules/balance.ts';
import { type EventRecord, eventRecordKind } from '../../../../lib/billing/stored/event-record.ts';
import type { Notice } from '../../../../lib/billing/stored/notice.ts';
import { noticeFact, noticeKind } from '../../../../lib/billing/stored/notice.ts';
import { openHoldKind, toOpenHold } from '../../../../lib/billing/stored/open-hold.ts';
import { planKind } from '../../../../lib/billing/stored/plan.ts';
import { nothingReversed } from '../../../../lib/billing/stored/reversal.ts';
import { storedBalance } from '../../../../lib/billing/stored/stored-balance.ts';
import { emptyWallet, walletKind } from '../../../../lib/billing/stored/wallet.ts';
import type { Key } from '../../../../lib/table/keys.ts';
import type { Item } from '../../../../lib/table/table.ts';
import { put } from '../../../../lib/table/write.ts';
import { itemOf, openHoldItem, walletItem } from '../../../support/billing-items.ts';
import { someOrigin } from '../../../support/origin.ts';
import {
  applyCause,
  held,
  now,
  organization_id,
  plan,
  spend,
  wallet,
  withPacks,
} from '../rules/wallets.ts';

// Ledger entries: stored-entry.test.ts.

const balance = toBalance(wallet(), 0);
const { hold } = held(5);
const { entry } = applyCause(wallet(), spend(1));
const line = { from: 1, until: 9, monthly_grant_stars: 9, tier: 'pro' };
const record: EventRecord = {
  version: 3,
  fingerprint: 'f',
  balance,
  hold: { expires_at: hold.expires_at, lots: hold.lots, feature: 'search' },
  extended_to: hold.expires_at + 1,
  hold_end: {
    type: 'hold.captured',
    asked: 6,
    stars: 5,
    balance: toBalance(wallet({ monthly_stars: 1 }), 0),
  },
  spend: { lots: hold.lots, refunded: 2 },
  purchase: {
    stars: 9,
    expires_at: hold.expires_at,
    amount: 90,
    sources: [{ id: 'r', stars: 3, claw_back: true, occurred_at: 7 }],
    unspent_free_stars: 1,
    unspent_held_stars: 0,
    due_stars: 3,
  },
  payment: {
    lines: [
      line,
      { ...line, monthly_grant_stars: -9, proration: true, share: { amount: 1, of: 3 } },
    ],
    amount: 300,
    ...nothingReversed,
    forgiven_stars: 8,
  },
};
const low: Notice = { type: 'stars.low', threshold: 3, available_stars: 2 };
const running = withPacks({ next_hold_expiry: 7, former_subscriptions: ['a'], thresholds: [2] });

const stored = (item: Item): Item => unmarshall(marshall(item, { removeUndefinedValues: true }));

const read =
  <A>(kind: { parse(item: Item): Key & A }) =>
  (item: Item) => {
    const { pk, sk, ...attributes } = kind.parse(item);
    return attributes;
  };
const recordItem = itemOf(
  put(eventRecordKind.key({ organizationId: organization_id, eventId: 'h' }), record),
);

test.each<[string, (item: Item) => unknown, Item, unknown, string]>([
  ['a wallet', read(walletKind), walletItem(organization_id, running), running, 'packs'],
  ['a record', read(eventRecordKind), recordItem, record, 'balance'],
  [
    'an open hold',
    (item) => toOpenHold(openHoldKind.parse(item)),
    openHoldItem(organization_id, hold),
    hold,
    'hold',
  ],
  [
    'a plan',
    read(planKind),
    itemOf(put(planKind.key({ tier: 'pro' }), { ...plan, version: 4 })),
    { ...plan, version: 4 },
    'currency',
  ],
  [
    'a notice',
    read(noticeKind),
    itemOf(noticeFact(organization_id, entry, 0, low).toWrite(someOrigin)),
    { ...low, version: entry.version, at: entry.at },
    'threshold',
  ],
])(
  '%s is read as it was written, and refused without what it has to say',
  (_what, read, item, value, attribute) => {
    expect(read(stored(item))).toEqual(value);
    const error = { name: 'wallet_invariant', message: expect.stringContaining(attribute) };
    expect(() => read(stored({ ...item, [attribute]: undefined }))).toThrow(
      expect.objectContaining(error),
    );
  },
);

test('a balance is stored without names, and read as it was answered', () => {
  const [none, all] = [emptyWallet, withPacks({ next_grant: { at: 9, stars: 8 }, owed_stars: 7 })];
  for (const one of [none, all].map((wallet) => toBalance(wallet, now))) {
    const list = z.encode(storedBalance, one);
    expect(JSON.stringify(list)).not.toContain('stars');
    expect(z.decode(storedBalance, list)).toEqual(one);
  }
});
