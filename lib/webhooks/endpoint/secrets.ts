import { randomBytes } from 'node:crypto';
import * as z from 'zod/mini';

/** Milliseconds for which a replaced secret signs beside the new secret. */
export const overlapMs = 24 * 60 * 60 * 1000;

const prefix = 'whsec_';
const secretBytes = 32;

/** A secret of a webhook, as it is stored: a digest could not sign. Who can read the table could use a key of KMS, too. */
export const storedSecret = z.object({
  value: z.string(),
  created_at: z.iso.datetime(),
  /** Only in a secret that was replaced: from then on it signs no more. */
  expires_at: z.optional(z.iso.datetime()),
});
export type Secret = z.output<typeof storedSecret>;

/** The newest first. */
export type Secrets = readonly [Secret, ...Secret[]];

/** 32 random bytes in the form of Standard Webhooks: `whsec_` and base64. */
export const newSecret = (now: number): Secret => ({
  value: prefix + randomBytes(secretBytes).toString('base64'),
  created_at: new Date(now).toISOString(),
});

export const decodeSecret = (value: string): Buffer =>
  Buffer.from(value.slice(prefix.length), 'base64');

/** A new secret, and the secret before it, which stays for a day. Older secrets go. */
export const rotateWebhookSecrets = ([before]: Secrets, now: number) => {
  const expires_at = new Date(now + overlapMs).toISOString();
  // Later than the secret before, also where both are made in one millisecond: repeats find each by its time.
  const added = newSecret(Math.max(now, Date.parse(before.created_at) + 1));
  return { added, previous: { ...before, expires_at } };
};

/** The secret that was made at this time, if it is still there. */
export const secretMadeAt = (
  webhook: { secrets: Secrets } | undefined,
  createdAt: string,
): string | null =>
  webhook?.secrets.find(({ created_at }) => created_at === createdAt)?.value ?? null;

/** The secrets that sign now, the newest first. */
export const validSecrets = (secrets: readonly Secret[], now: number): string[] =>
  secrets
    .filter(({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > now)
    .map(({ value }) => value);
