import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { toldOrigin, toToldOrigin } from '../facts/origin.ts';
import type { Permission } from '../operations/permissions.ts';
import type { Key } from '../table/keys.ts';
import type { Kind } from '../table/kind.ts';
import type { IdsOf } from '../table/place.ts';
import { type Item, toKey } from '../table/table.ts';

/** The position of a change in the feed. */
export const feedPosition = {
  event_id: z
    .uuid()
    .check(
      z.describe('The same wherever this change is told and repeated, and of no other change.'),
    ),
  sequence: z
    .int()
    .check(z.gte(1), z.describe('1, 2, 3, … without gaps, in the organization’s feed.')),
  feed_id: z.uuid().check(z.describe('Numbers with another `feed_id` are of other changes.')),
  at: z.iso.datetime().check(z.describe('When the change was made.')),
  organization_id: z.uuid(),
};

const common = {
  ...feedPosition,
  ...toldOrigin,
  user_name: z
    .optional(z.nullable(z.string()))
    .check(
      z.describe(
        'Only in `GET /changes`: what the user or API key is called, `platform` for the company’s own backend. `null` for who has no name, and for a caller without `members:read`.',
      ),
    ),
  version: z
    .int()
    .check(
      z.gte(1),
      z.describe(
        'The number of this change of its thing: 1, 2, 3, … without gaps. Of a lead, a note and the wallet, the version after it.',
      ),
    ),
};

/** A type of change: what it says, and what it tells beside what every change does. */
interface ToldType {
  says: string;
  data: z.core.$ZodLooseShape;
}
type ToldTypes = Record<string, ToldType>;

/** Types that tell the same. */
export const alike = <const T extends string, D extends z.core.$ZodLooseShape>(
  says: Record<T, string>,
  data: D,
): Record<T, { says: string; data: D }> => {
  const entries = Object.entries<string>(says).map(([type, one]) => [type, { says: one, data }]);
  return Object.fromEntries(entries) as Record<T, { says: string; data: D }>;
};

/** The name of a type's schema: `lead.created` is `LeadCreated`. */
export const schemaNameOf = (type: string): string =>
  type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Each type has a schema of its own: so what is generated from it has a type for each. */
const schemaOf = <T extends string, D extends z.core.$ZodLooseShape>(
  type: T,
  says: string,
  data: D,
) =>
  z
    .strictObject({ ...common, type: z.literal(type), ...data })
    .check(z.meta({ id: schemaNameOf(type), description: says }));

type SchemasOf<T extends ToldTypes> = {
  [K in keyof T & string]: ReturnType<typeof schemaOf<K, T[K]['data']>>;
}[keyof T & string];
type ChangeOf<T extends ToldTypes> = z.output<SchemasOf<T>>;

type DataOf<T extends ToldTypes> = {
  [K in keyof T]: z.output<z.ZodMiniObject<T[K]['data']>>;
}[keyof T];

const namespace = v5('leads-and-stars events', v5.URL);

/**
 * An id made from the item's place, type and time: a restored table can have another change in the same place, made at
 * another time.
 */
const eventId = ({ pk, sk }: Key, type: string, at: string): string =>
  v5(JSON.stringify([pk, sk, type, at]), namespace);

interface NumberedEntry {
  at: string;
  version: number;
  type: string;
  user_id?: string | null | undefined;
  request_id?: string | null | undefined;
  feed?: string | undefined;
  sequence?: number | undefined;
}

/** A change as it is told. */
const toldOf = (
  { pk, sk, at, version, feed, sequence, ...item }: NumberedEntry & Key,
  organizationId: string,
  type: string,
) => {
  if (feed === undefined || sequence === undefined) throw new Error(`${pk} ${sk} has no sequence`);
  return {
    event_id: eventId({ pk, sk }, type, at),
    sequence,
    feed_id: feed,
    type,
    at,
    organization_id: organizationId,
    ...toToldOrigin(item),
    version,
  };
};

/** How a kind of fact is told, to whom, and in which order. */
export interface Telling<T extends ToldTypes = ToldTypes> {
  types: T;
  schemas: SchemasOf<T>[];
  /** Who may read the things themselves. */
  permission: Permission;
  /** The type of the change that an item is. */
  typeOf(item: Item): unknown;
  /** Changes of one lane are told one after another: of one thing, and of what belongs to it. */
  laneOf(item: Item): string;
  tell(item: Item): ChangeOf<T>;
}

interface TellingInput<A, Ids, T extends ToldTypes> {
  permission: Permission;
  types: T;
  /** The thing. By default, the partition of its facts. */
  lane?: (ids: Ids) => string;
  /** Where the item's own type is that of its cause. */
  type?: keyof T & string;
  tell: (item: Key & A, ids: Ids) => DataOf<T>;
}

export const telling = <
  P extends string,
  S extends string,
  A extends NumberedEntry,
  const T extends ToldTypes & Record<A['type'], ToldType>,
>(
  kind: Kind<P, S, A>,
  { permission, types, lane, type, tell }: TellingInput<A, IdsOf<P> & IdsOf<S>, T>,
): Telling<T> => ({
  types,
  schemas: Object.entries(types).map(([name, { says, data }]) =>
    schemaOf(name, says, data),
  ) as unknown as SchemasOf<T>[],
  permission,
  typeOf: (item) => type ?? item.type,
  laneOf: (item) => (lane ? lane(kind.idsOf(toKey(item))) : toKey(item).pk),
  tell: (item) => {
    const parsed = kind.parse(item);
    const ids = kind.idsOf(parsed);
    const { organizationId = '' } = ids as { organizationId?: string };
    const told = toldOf(parsed, organizationId, type ?? parsed.type);
    return { ...told, ...tell(parsed, ids) } as ChangeOf<T>;
  },
});
