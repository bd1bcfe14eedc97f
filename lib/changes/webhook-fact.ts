import * as z from 'zod/mini';
import { FactKind } from '../facts/fact.ts';
import { settingFact } from '../facts/setting.ts';
import { places } from '../table/keys.ts';

export const webhookStatuses = ['active', 'paused', 'disabled'] as const;

export const webhookTypes = [
  'webhook.created',
  'webhook.updated',
  'webhook.paused',
  'webhook.resumed',
  'webhook.disabled',
  'webhook.deleted',
] as const;

export const webhookFactKind = new FactKind(places.webhookFact, {
  holds: 'what happened to a webhook',
  thing: places.webhook,
  attributes: z.object({
    ...settingFact,
    type: z.enum(webhookTypes),
    /** Absent where the webhook was deleted. */
    status: z.optional(z.enum(webhookStatuses)),
  }),
});
