import { randomBytes } from 'node:crypto';

/** A replaced secret signs beside the new one for so many milliseconds. */
export const overlap = 24 * 60 * 60 * 1000;

const prefix = 'whsec_';
const secretBytes = 32;

/** A secret of a webhook, as it is stored. */
export interface Secret {
  value: string;
  created_at: string;
  /** Of the one that was replaced: from then on it signs no more. */
  expires_at?: string;
}

/** 32 random bytes in the form of Standard Webhooks: `whsec_` and base64. */
export const newSecret = (now: number): Secret => ({
  value: prefix + randomBytes(secretBytes).toString('base64'),
  created_at: new Date(now).toISOString(),
});

export const decodeSecret = (value: string): Buffer =>
  Buffer.from(value.slice(prefix.length), 'base64');

/** A new secret in the first place; of those before, only the last stays, for a day. */
export const rotated = (
  [last]: readonly Secret[],
  now: number,
): [added: Secret, ...before: Secret[]] => {
  const expires_at = new Date(now + overlap).toISOString();
  return [newSecret(now), ...(last ? [{ ...last, expires_at }] : [])];
};

/** The secrets that sign now, the newest first. */
export const validSecrets = (secrets: readonly Secret[], now: number): string[] =>
  secrets
    .filter(({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > now)
    .map(({ value }) => value);
