import * as z from 'zod/mini';
import { changeTypes } from '../changes/change.ts';
import { followerAttributes } from '../consumers/follower.ts';
import { mostWebhooks } from '../organizations/limits.ts';
import { places } from '../table/keys.ts';
import { type AttributesOf, type ItemOf, Kind } from '../table/kind.ts';
import type { Table } from '../table/table.ts';
import { storedProgress } from './delivery/progress-item.ts';
import { storedSecret } from './endpoint/secrets.ts';

// A webhook is one item. Its owner changes the settings, on their `version`; a worker the progress, on the
// token of its lease. Whatever changes progress or lease also counts up `revision`; what is told of it, `facts`.

export const webhookKind = new Kind(places.webhook, {
  hasFacts: true,
  holds: 'a webhook: its settings, its checkpoint, who has its lease',
  attributes: z.object({
    url: z.string(),
    /** Absent where it is for the usual types: of leads, notes and stars. */
    types: z.optional(z.array(z.enum(changeTypes))),
    description: z.optional(z.string()),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    version: z.int(),
    /** How many facts there are of it: that it is paused makes no version. */
    facts: z.int(),
    /** The newest secret first. There are two for a day after a secret was replaced, else one. */
    secrets: z.tuple([storedSecret], storedSecret),
    ...followerAttributes,
    ...storedProgress,
    /** Tests that wait to be sent: when each was asked for, by its id. */
    tests: z.record(z.string(), z.iso.datetime()),
  }),
});

/** A webhook as it is read. */
export type StoredWebhook = ItemOf<typeof webhookKind>;
export type WebhookAttributes = AttributesOf<typeof webhookKind>;

/** A webhook’s id, of its item. */
export const idOf = (item: StoredWebhook): string => webhookKind.idsOf(item).webhookId;

export const readWebhook = (
  table: Table<'GetItem'>,
  organizationId: string,
  webhookId: string,
): Promise<StoredWebhook | undefined> => table.get(webhookKind.key({ organizationId, webhookId }));

/** All webhooks of an organization, as they are stored, oldest first. */
export const readWebhooks = async (
  table: Table<'Query'>,
  organizationId: string,
): Promise<StoredWebhook[]> => {
  const { items } = await table.query({
    kind: webhookKind,
    condition: 'pk = :pk',
    values: { ':pk': webhookKind.partition({ organizationId }) },
    limit: mostWebhooks,
    consistent: true,
  });
  return items;
};
