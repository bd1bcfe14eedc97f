import * as z from 'zod/mini';
import { changeTypes } from '../changes/change.ts';
import { mostWebhooks } from '../organizations/limits.ts';
import { text, uuid } from '../schema/fields.ts';
import {
  fromStored,
  inputShape,
  nullable,
  outputShape,
  patchShape,
  required,
  toStored,
} from '../schema/resource.ts';
import { orderFields } from '../table/field-order.ts';
import { organizationKeys, webhookKey } from '../table/keys.ts';
import type { Item, Table } from '../table/table.ts';
import { newProgress, nextDue, resume, statuses } from './delivery/delivery-rules.ts';
import { progressAttributes, toProgress } from './delivery/progress-item.ts';
import { isAllowedUrl, mostEndpointCharacters } from './endpoint/address.ts';
import type { Secret } from './endpoint/secrets.ts';

const urlShape = { maxLength: mostEndpointCharacters, format: 'uri' };
const url = () =>
  z.string().check(
    z.maxLength(mostEndpointCharacters, { abort: true }),
    z.refine(isAllowedUrl, {
      error:
        'must be an https address on the public internet, on port 443 or from 1024 on, without user name, password and #part',
    }),
    z.meta(urlShape),
  );
const types = () =>
  z.array(z.enum(changeTypes)).check(
    z.minLength(1),
    z.maxLength(changeTypes.length),
    z.refine((list) => new Set(list).size === list.length, { error: 'must have no doubles' }),
    z.meta({ uniqueItems: true }),
  );

/** What its owner sets, in the order of the API's body. */
const settings = {
  url: required(url(), {
    output: z.string().check(z.meta(urlShape)),
    description: 'Where changes are posted to: HTTPS, on port 443 or one from 1024 on.',
  }),
  types: nullable(types(), {
    description:
      'Only changes of these types. `null`: changes of all types, also of types that are added later.',
  }),
  description: nullable(text(200)),
};

/** A number in the feed. */
export const sequence = () => z.int().check(z.nonnegative());

/** The body of `POST /webhooks`. */
export const webhookInput = z
  .strictObject({
    ...inputShape(settings),
    after: z
      .optional(sequence())
      .check(
        z.describe(
          'The webhook begins after the change with this number; 0 begins with the first. By default, it begins at the end of the feed.',
        ),
      ),
  })
  .check(z.meta({ id: 'WebhookInput' }));

/** The body of `PATCH /webhooks/{webhook_id}`: a JSON merge patch (RFC 7396). */
export const webhookPatch = z
  .strictObject({
    ...patchShape(settings),
    status: z
      .optional(z.enum(['active', 'disabled']))
      .check(
        z.describe(
          '`active` goes on where it stopped, and tries all that waits at once; `disabled` stops it there.',
        ),
      ),
  })
  .check(z.meta({ id: 'WebhookPatch', description: 'A JSON merge patch (RFC 7396).' }));
export type WebhookPatch = z.output<typeof webhookPatch>;

const tally = (description: string) => z.int().check(z.nonnegative(), z.describe(description));

const answerFields = {
  id: z.uuid(),
  ...outputShape(settings),
  status: z
    .enum(statuses)
    .check(
      z.describe(
        '`paused` after 10 failures in a row, until an attempt succeeds. `disabled` by its owner, or by an answer of 410.',
      ),
    ),
  checkpoint: sequence().check(z.describe('Changes up to this number were attempted.')),
  failures: tally('Attempts that have failed since the last one that succeeded.'),
  waiting: tally('Changes that failed, and are to be tried again.'),
  given_up: tally(
    'How many changes were given up so far: after ten failed attempts, or to make room where 1,000 others waited.',
  ),
  next_attempt_at: z
    .nullable(z.iso.datetime())
    .check(
      z.describe(
        'When the next attempt is due: of a change that waits, of a paused webhook, or after a `Retry-After`. `null` if none is due.',
      ),
    ),
  created_by: z.guid().check(z.describe('Who made it. It stays when they leave the organization.')),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

/** A webhook as the API answers it. */
export const webhook = z.strictObject(answerFields).check(z.meta({ id: 'Webhook' }));
export type Webhook = z.output<typeof webhook>;

/** The answer to making a webhook: the only one that has its secret. */
export const webhookWithSecret = z
  .strictObject({
    ...answerFields,
    secret: z
      .nullable(z.string())
      .check(
        z.describe(
          'Signs what is posted. Shown here only; `null` in a repeat once two newer ones were made.',
        ),
      ),
  })
  .check(z.meta({ id: 'NewWebhook' }));

/** The path of one webhook. */
export const webhookPath = z.strictObject({ webhook_id: uuid() });

interface NewWebhook {
  input: object;
  userId: string;
  checkpoint: number;
  feedId: string;
  secret: Secret;
  now: number;
}

/** A webhook that is made, as it is stored. */
export const newWebhook = (
  organizationId: string,
  id: string,
  { input, userId, checkpoint, feedId, secret, now }: NewWebhook,
): Item => {
  const created_at = new Date(now).toISOString();
  return {
    ...webhookKey(organizationId, id),
    ...toStored(settings, input),
    created_by: userId,
    created_at,
    updated_at: created_at,
    version: 1,
    secrets: [secret],
    feed_id: feedId,
    ...progressAttributes(newProgress(checkpoint)),
    tests: {},
    revision: 1,
  };
};

/** What a patch changes. */
export const toWebhookUpdate = (item: Item, { status, ...input }: WebhookPatch, now: number) => {
  const set = Object.fromEntries(
    Object.entries(input).map(([name, value]) => [name, value ?? undefined]),
  );
  const progress = progressAfter(item, input.url, status, now);
  return { set, now, ...(progress && { progress }) };
};

const progressAfter = (
  item: Item,
  url: string | undefined,
  status: string | undefined,
  now: number,
) => {
  const before = toProgress(item);
  if (status === 'disabled') return { ...before, status } as const;
  // An active webhook that is set active does not change: nothing that waits is hurried.
  const isSetActive = status === 'active' && before.status !== 'active';
  // What waits is tried at once at a new URL: that an endpoint failed says nothing of another one.
  const isMoved = url !== undefined && url !== item.url && before.status !== 'disabled';
  return isSetActive || isMoved ? resume(before, now) : undefined;
};

/** A webhook’s id, of its item. */
export const idOf = ({ sk }: Item): string => String(sk).slice(String(sk).indexOf('#') + 1);

export const toWebhook = (item: Item, now: number): Webhook => {
  const progress = toProgress(item);
  const due = nextDue(progress, now);
  return orderFields(webhook, {
    ...item,
    ...fromStored(settings, item),
    id: idOf(item),
    status: progress.status,
    checkpoint: progress.checkpoint,
    failures: progress.failures,
    waiting: progress.waiting.length,
    given_up: progress.givenUp,
    next_attempt_at: due === undefined ? null : new Date(due).toISOString(),
  });
};

/** One more with every change of its owner's: the work of delivering changes no ETag. */
export const webhookVersion = (item: Item): number => item.version as number;

export const readWebhook = (
  table: Table<'GetItem'>,
  organizationId: string,
  webhookId: string,
): Promise<Item | undefined> => table.get(webhookKey(organizationId, webhookId));

/** All webhooks of an organization, as they are stored, oldest first. */
export const readWebhooks = async (
  table: Table<'Query'>,
  organizationId: string,
): Promise<Item[]> => {
  const { pk, prefix } = organizationKeys(organizationId, 'WEBHOOK');
  const { items } = await table.query({
    condition: 'pk = :pk AND begins_with(sk, :prefix)',
    values: { ':pk': pk, ':prefix': prefix },
    limit: mostWebhooks,
    consistent: true,
  });
  return items;
};
