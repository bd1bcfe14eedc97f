import type { Change, Told } from '../../changes/change.ts';
import { type TestBody, testType } from './test-message.ts';

/** The content of a post: a change, or a test. */
export interface WebhookMessage {
  id: string;
  type: Change['type'] | typeof testType;
  /** Null of a test. */
  sequence: number | null;
  body: string;
  /** When the change was read, in milliseconds since the epoch; undefined of a test. */
  readAt?: number;
  /** Messages of one lane are posted one after another: those of a lead, of the wallet, of a setting. */
  lane: string;
  /** The webhook of which it tells. */
  ofWebhook?: string | undefined;
}

export const changeMessage = ({ change, lane }: Told, readAt: number): WebhookMessage => ({
  id: change.event_id,
  type: change.type,
  sequence: change.sequence,
  body: JSON.stringify(change),
  readAt,
  lane,
  ofWebhook: 'webhook_id' in change ? change.webhook_id : undefined,
});

export const testMessage = (
  organizationId: string,
  webhookId: string,
  id: string,
  at: string,
): WebhookMessage => {
  const body: TestBody = {
    event_id: id,
    type: testType,
    at,
    organization_id: organizationId,
    webhook_id: webhookId,
  };
  return { id, type: testType, sequence: null, body: JSON.stringify(body), lane: id };
};
