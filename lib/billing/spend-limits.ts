import * as z from 'zod/mini';
import { ApiError, forbidden } from '../errors/errors.ts';
import { FactKind } from '../facts/fact.ts';
import { changedFields, settingFact } from '../facts/setting.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { fingerprintOf } from '../schema/fingerprint.ts';
import { absent, atVersion, compare } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import type { ItemOf } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import type { Table } from '../table/table.ts';
import { put, remove, update } from '../table/write.ts';
import { readWallet } from './read-balance.ts';
import {
  counterKindOf,
  type LimitName,
  limitFields,
  limitKind,
  limitKinds,
  type SpendLimit,
  toSpendLimit,
} from './stored/limits/spend-limit.ts';
import { type Wallet, walletKind } from './stored/wallet.ts';

// docs/decisions/spend-limits.md

/** How many limits an organization can have at most. */
export const mostSpendLimits = 1000;

/** The body of `PUT /billing/limits/{kind}/{name}`. */
export const limitInput = z.strictObject(limitFields).check(
  z.refine(({ stars, alert_at }) => alert_at === null || alert_at <= stars, {
    path: ['alert_at'],
    error: 'must be at most stars',
  }),
  z.meta({ id: 'SpendLimitInput' }),
);

export const limitFactTypes = ['spend_limit.updated', 'spend_limit.deleted'] as const;

export const limitFactKind = new FactKind(places.spendLimitFact, {
  holds: 'what happened to spend limits',
  thing: places.wallet,
  attributes: z.object({
    ...settingFact,
    type: z.enum(limitFactTypes),
    kind: z.enum(limitKinds),
    name: z.string(),
  }),
});

type StoredLimit = ItemOf<typeof limitKind>;

/** A limit and the wallet, as they were read together; undefined where there is no such limit. */
export interface LimitReading {
  wallet: Wallet;
  stored: StoredLimit | undefined;
}

/** One request to the table. */
export const readLimit = async (
  table: Table<'GetItem'>,
  organizationId: string,
  name: LimitName,
): Promise<LimitReading> => {
  const [wallet, stored] = await Promise.all([
    readWallet(table, organizationId),
    table.get(limitKind.key({ organizationId, ...name })),
  ]);
  return { wallet, stored };
};

const refused = () => new ConflictError();

/** A caller with a spender of its own changes no limit: it would be its own. Throws `forbidden`. */
export const assertMayChangeLimits = ({ spender }: { spender: string | undefined }): void => {
  if (spender === undefined) return;
  throw forbidden('Authorization', 'is of an API key with a spender, which can change no limit');
};

/** A change of the limits that were read. Refused with `ConflictError` if any was changed since. */
const changeOfLimits = (
  organizationId: string,
  limitName: LimitName,
  { limits_version, limits = { spender: 0, feature: 0 } }: Wallet,
  { more, ...told }: { more: number; type: (typeof limitFactTypes)[number]; changed: string[] },
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  const { kind, name } = limitName;
  const version = limits_version + 1;
  const counted = counterKindOf(limitName);
  return [
    update(
      walletKind.key({ organizationId }),
      {
        set: {
          limits_version: version,
          limits: { ...limits, [counted]: limits[counted] + more },
        },
      },
      { condition: compare('limits_version', '=', limits_version), refused },
    ),
    limitFactKind.fact(
      { organizationId },
      { ...told, kind, name, version, at: new Date(now).toISOString() },
    ),
  ];
};

const fieldNames = Object.keys(limitFields) as (keyof SpendLimit)[];

/** Puts a limit in place of the limit that was read. Nothing if it says the same. Throws `limit_reached`. */
export const putLimit = (
  organizationId: string,
  name: LimitName,
  limit: SpendLimit,
  { wallet, stored }: LimitReading,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem'>[] => {
  const before = stored && toSpendLimit(stored);
  if (before && fingerprintOf(before) === fingerprintOf(limit)) return [];
  const { spender, feature } = wallet.limits ?? { spender: 0, feature: 0 };
  if (!stored && spender + feature >= mostSpendLimits) throw new ApiError('limit_reached');
  const { version } = stored ?? { version: 0 };
  const type = 'spend_limit.updated';
  const changed = changedFields(before, limit, fieldNames);
  return [
    put(
      limitKind.key({ organizationId, ...name }),
      { ...limit, version: version + 1 },
      { condition: stored ? atVersion(version) : absent, refused },
    ),
    ...changeOfLimits(organizationId, name, wallet, { type, changed, more: stored ? 0 : 1 }, now),
  ];
};

/** Deletes a limit that was read. Throws `not_found`. */
export const deleteLimit = (
  organizationId: string,
  name: LimitName,
  { wallet, stored }: LimitReading,
  now: number,
): WriteOrFact<'PutItem' | 'UpdateItem' | 'DeleteItem'>[] => {
  if (!stored) throw new ApiError('not_found');
  const type = 'spend_limit.deleted';
  return [
    remove(limitKind.key({ organizationId, ...name }), {
      condition: atVersion(stored.version),
      refused,
    }),
    ...changeOfLimits(organizationId, name, wallet, { type, changed: [], more: -1 }, now),
  ];
};
