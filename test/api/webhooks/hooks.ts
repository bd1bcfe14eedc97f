import { Webhook } from 'standardwebhooks';
import { eventually } from '../../support/eventually.ts';
import { asSent, feedStart, feedUntil, readFeed, withoutSettings } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { Receiver } from '../../support/receiver.ts';
import type { Received } from '../../support/receiver-process.ts';

// Webhooks of an organization, and what arrives at them.

/** Of a type that nothing here brings about, so that nothing is posted. */
export const quiet = { url: 'https://hooks.example.com/leads', types: ['stars.depleted'] };

/** The path of a new webhook that nothing is posted to. */
export const quietWebhook = async (organization: Organization): Promise<string> =>
  `/webhooks/${(await organization.post('/webhooks', quiet)).body.id}`;

export interface Hook {
  organization: Organization;
  receiver: Receiver;
  id: string;
  path: string;
  secret: string;
  /** The number of the last change when it was made, once that it was made is in the feed. */
  start: number;
}

/** An organization with a webhook that leads to a receiver of its own. */
export const hooked = async (fields: object = {}): Promise<Hook> => {
  const [organization, receiver] = await Promise.all([provision(), Receiver.start()]);
  const before = await feedStart(organization);
  const { body } = await organization.post('/webhooks', { url: receiver.url, ...fields });
  const { id, secret } = body;
  await feedUntil(organization, ({ sequence }) => sequence === before + 1);
  return { organization, receiver, id, path: `/webhooks/${id}`, secret, start: before + 1 };
};

/** The webhook, once it is so. */
export const webhookWhere = ({ organization, path }: Hook, fields: Record<string, unknown>) =>
  eventually(
    async () => (await organization.get(path)).body,
    (webhook) => Object.entries(fields).every(([name, value]) => webhook[name] === value),
  );

/** Its deliveries, once there are so many. */
export const deliveriesOf = ({ organization, path }: Hook, count: number) =>
  eventually(
    () => organization.readAll(`${path}/deliveries`, 3),
    ({ length }) => length === count,
  );

/** What was posted, once it is so much. */
export const arrived = ({ receiver }: Hook, count: number) =>
  eventually(
    () => receiver.bodies,
    ({ length }) => length >= count,
  );

/** The message, as whoever has this secret takes it; throws if the signature is another's. */
export const verified = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers);

/** The changes that a webhook gets that names no types, as it gets them. */
export const feedOf = async ({ organization }: Hook) =>
  asSent(withoutSettings(await readFeed(organization)));

export const bySequence = (all: { sequence: number }[]) =>
  all.toSorted((a, b) => a.sequence - b.sequence);
