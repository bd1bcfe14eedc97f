import { webhookFactKind, type webhookTypes } from '../changes/webhook-fact.ts';
import type { Fact } from '../facts/fact.ts';
import { changedFields } from '../facts/setting.ts';
import type { StoredWebhook } from './stored-webhook.ts';
import type { WebhookPatch } from './webhook.ts';

interface WebhookChange {
  type: (typeof webhookTypes)[number];
  /** Absent of a webhook that is made. */
  before?: StoredWebhook;
  /** Absent of a webhook that is deleted. */
  after?: StoredWebhook;
  now: number;
}

/** The next fact of a webhook. */
export const webhookFact = (
  organizationId: string,
  webhookId: string,
  { type, before, after, now }: WebhookChange,
): Fact => {
  const version = (before?.facts ?? 0) + 1;
  return webhookFactKind.fact(
    { organizationId, webhookId },
    {
      type,
      version,
      at: new Date(now).toISOString(),
      status: after?.status,
      changed: after ? changedFields(before && toldSettings(before), toldSettings(after)) : [],
    },
  );
};

/** A webhook's settings as they are told, by their names in the API; of its secret, only that it is another. */
const toldSettings = ({
  url,
  types,
  description,
  status,
  secrets,
  checkpoint,
}: StoredWebhook): Record<keyof WebhookPatch | 'secret' | 'checkpoint', unknown> => ({
  url,
  types,
  description,
  status,
  secret: secrets[0].created_at,
  checkpoint,
});
