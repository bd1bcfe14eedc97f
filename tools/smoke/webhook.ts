import { differencesOfStatus, withRequest } from './api-response.ts';
import { askAsBackend } from './backend.ts';
import { type Check, NotTriedError, patiently } from './check.ts';
import type { SmokeTarget } from './target.ts';

const name = 'Smoke test';

/** A webhook that is older was left by a run that was killed: no run takes that long. */
const leftAfterMs = 60 * 60 * 1000;

/** Before anything happens: the webhook knows where the feed ends. */
export const webhookChecks: Check[] = [
  {
    title: 'a webhook can be made, and asked for a test',
    run: async (target) => {
      const description = `${name} ${target.runId}`;
      const calm = { ...target, stopped: undefined };
      await deleteWebhooks(
        target,
        (one) =>
          one.description?.startsWith(name) &&
          Date.parse(one.created_at) < Date.now() - leftAfterMs,
      );
      target.cleanUp.add(`the webhook ${description}`, () =>
        deleteWebhooks(calm, (one) => one.description === description),
      );
      const url = `${target.baseUrl}/smoke`;
      // No run makes changes of this type: only the test is posted.
      const input = { url, description, types: ['lead.erased'] };
      const made = await askAsBackend(target, 'POST', '/webhooks', input);
      if (made.status !== 201) return withRequest('POST /webhooks', differencesOfStatus(made, 201));
      const { id, checkpoint } = made.body;
      const test = await askAsBackend(target, 'POST', `/webhooks/${id}/test`);
      target.made.webhook = { id, checkpoint, testId: test.body?.delivery_id };
      return withRequest('POST /webhooks/…/test', differencesOfStatus(test, 202));
    },
  },
];

/** Checks after the test: whether the worker was woken, and reaches the internet. */
export const deliveryChecks: Check[] = [
  {
    title: 'what a webhook is to be told is posted',
    run: async (target) => {
      const { webhook } = target.made;
      if (!webhook?.testId) throw new NotTriedError('No webhook was made.');
      const path = `/webhooks/${webhook.id}/deliveries`;
      return patiently(target, async () => {
        const listed = await askAsBackend(target, 'GET', path);
        if (listed.status !== 200)
          return withRequest(`GET ${path}`, differencesOfStatus(listed, 200));
        const attempt = listed.body.items.find(
          (one: { event_id: string }) => one.event_id === webhook.testId,
        );
        if (!attempt) return ['The test of the webhook was not posted in time.'];
        // The test was posted to the API itself, which has no such route.
        if (attempt.status === 404) return [];
        return [`${target.baseUrl}/smoke answered ${attempt.status ?? attempt.error}, not 404.`];
      });
    },
  },
];

interface SeenWebhook {
  id: string;
  description: string | null;
  created_at: string;
}

const deleteWebhooks = async (
  target: SmokeTarget,
  isToGo: (webhook: SeenWebhook) => boolean | undefined,
): Promise<void> => {
  const listed = await askAsBackend(target, 'GET', '/webhooks');
  if (listed.status !== 200) throw new Error(differencesOfStatus(listed, 200).join(' '));
  for (const { id } of (listed.body.items as SeenWebhook[]).filter(isToGo)) {
    const deleted = await askAsBackend(target, 'DELETE', `/webhooks/${id}`);
    // Another run at the same time can have been faster.
    if (![204, 404].includes(deleted.status)) {
      throw new Error(differencesOfStatus(deleted, 204).join(' '));
    }
  }
};
