import { createHmac } from 'node:crypto';
import { decodeSecret } from './secrets.ts';

/**
 * The headers that sign a message, as Standard Webhooks 1.0 has them: a signature by each secret, over the
 * id, the time in seconds since the epoch, and the body.
 */
export const signedHeaders = (
  { id, body, now }: { id: string; body: string; now: number },
  secrets: readonly string[],
): Record<string, string> => {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', decodeSecret(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
};
