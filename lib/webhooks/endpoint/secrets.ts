import { randomBytes } from 'node:crypto';
import type { Item } from '../../table/table.ts';

/** Milliseconds for which a replaced secret signs beside the new one. */
export const overlapMs = 24 * 60 * 60 * 1000;

const prefix = 'whsec_';
const secretBytes = 32;

/** A secret of a webhook, as it is stored: a digest could not sign. Who can read the table could use a key of KMS, too. */
export interface Secret {
  value: string;
  created_at: string;
  /** When a secret that was replaced signs no more. */
  expires_at?: string;
}

/** 32 random bytes in the form of Standard Webhooks: `whsec_` and base64. */
export const newSecret = (now: number): Secret => ({
  value: prefix + randomBytes(secretBytes).toString('base64'),
  created_at: new Date(now).toISOString(),
});

export const decodeSecret = (value: string): Buffer =>
  Buffer.from(value.slice(prefix.length), 'base64');

/** A new secret, and the one before it, which stays for a day. Others go. */
export const rotateWebhookSecrets = (secrets: readonly Secret[], now: number) => {
  const before = secrets[0]!;
  const expires_at = new Date(now + overlapMs).toISOString();
  // Later than the one before, also where both are made in one millisecond: repeats find each by its time.
  const added = newSecret(Math.max(now, Date.parse(before.created_at) + 1));
  return { added, previous: { ...before, expires_at } };
};

/** The secret that was made at this time, if it is still there. */
export const secretMadeAt = (item: Item | undefined, createdAt: string): string | null =>
  (item?.secrets as Secret[] | undefined)?.find(({ created_at }) => created_at === createdAt)
    ?.value ?? null;

/** The secrets that sign now, the newest first. */
export const validSecrets = (secrets: readonly Secret[], now: number): string[] =>
  secrets
    .filter(({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > now)
    .map(({ value }) => value);
