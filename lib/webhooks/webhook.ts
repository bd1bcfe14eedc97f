import * as z from 'zod/mini';
import { type ChangeType, changeTypes } from '../changes/change.ts';
import { webhookStatuses } from '../changes/webhook-fact.ts';
import { text, uuid } from '../schema/fields.ts';
import { inputShape, nullable, outputShape, patchShape, required } from '../schema/resource.ts';
import { places } from '../table/keys.ts';
import { newProgress, nextDue, resume } from './delivery/delivery-rules.ts';
import { progressAttributes, toProgress } from './delivery/progress-item.ts';
import { isAllowedUrl, mostEndpointCharacters } from './endpoint/address.ts';
import type { Secret } from './endpoint/secrets.ts';
import { idOf, type StoredWebhook } from './stored-webhook.ts';

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

/** The settings that a webhook's owner chooses, in the order of the API's body. */
const settings = {
  url: required(url(), {
    output: z.string().check(z.meta(urlShape)),
    description: 'Where changes are posted to: HTTPS, on port 443 or one from 1024 on.',
  }),
  types: nullable(types(), {
    description:
      'Only changes of these types. `null`: all changes of leads, notes and stars, and none of settings.',
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
    .enum(webhookStatuses)
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

/** The answer to making a webhook, the only answer that has its secret. */
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
  input: {
    url: string;
    types?: ChangeType[] | null | undefined;
    description?: string | null | undefined;
  };
  userId: string;
  checkpoint: number;
  feedId: string;
  secret: Secret;
  now: number;
}

/** A webhook that is made, as it is stored. */
export const newWebhook = (
  organizationId: string,
  webhookId: string,
  { input, userId, checkpoint, feedId, secret, now }: NewWebhook,
): StoredWebhook => {
  const created_at = new Date(now).toISOString();
  return {
    ...places.webhook.key({ organizationId, webhookId }),
    url: input.url,
    types: input.types ?? undefined,
    description: input.description ?? undefined,
    created_by: userId,
    created_at,
    updated_at: created_at,
    version: 1,
    facts: 1,
    secrets: [secret],
    feed_id: feedId,
    ...progressAttributes(newProgress(checkpoint)),
    tests: {},
    revision: 1,
  };
};

/** The update that a patch makes. */
export const toWebhookUpdate = (
  item: StoredWebhook,
  { status, url, types, description }: WebhookPatch,
  now: number,
) => {
  const set = {
    ...(url !== undefined && { url }),
    ...(types !== undefined && { types: types ?? undefined }),
    ...(description !== undefined && { description: description ?? undefined }),
  };
  const progress = progressAfter(item, url, status, now);
  return { set, now, ...(progress && { progress }) };
};

const progressAfter = (
  item: StoredWebhook,
  url: string | undefined,
  status: WebhookPatch['status'],
  now: number,
) => {
  const before = toProgress(item);
  if (status === 'disabled') return { ...before, status };
  // A status that it already has is no change, and hurries no change that waits.
  const isSetActive = status === 'active' && before.status !== 'active';
  // Changes that wait are tried at once at a new URL: failures of one endpoint say nothing of another.
  const isMoved = url !== undefined && url !== item.url && before.status !== 'disabled';
  return isSetActive || isMoved ? resume(before, now) : undefined;
};

export const toWebhook = (item: StoredWebhook, now: number): Webhook => {
  const progress = toProgress(item);
  const due = nextDue(progress, now);
  return {
    id: idOf(item),
    url: item.url,
    types: item.types ?? null,
    description: item.description ?? null,
    status: progress.status,
    checkpoint: progress.checkpoint,
    failures: progress.failures,
    waiting: progress.waiting.length,
    given_up: progress.givenUp,
    next_attempt_at: due === undefined ? null : new Date(due).toISOString(),
    created_by: item.created_by,
    created_at: item.created_at,
    updated_at: item.updated_at,
  };
};
