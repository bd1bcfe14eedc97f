/** Headers of each answer, the gateway's own too: browsers take a body for nothing but its type, and keep to HTTPS for a year. */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
} as const;

/** Headers of answers that a page of another origin may read. */
export const exposedHeaders = [
  'X-Request-Id',
  'ETag',
  'Retry-After',
  'Idempotency-Replayed',
  'RateLimit-Policy',
  'RateLimit',
];

/**
 * The headers that tell a browser whether a page of this origin may read the answer. There are none if the deployment
 * names no origins (`CORS_ORIGINS`, separated by commas).
 */
export const corsHeaders = (origin: string | undefined): Record<string, string> => {
  const allowed = process.env.CORS_ORIGINS?.split(',');
  if (!allowed) return {};
  if (origin === undefined || !allowed.includes(origin)) return { Vary: 'Origin' };
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposedHeaders.join(','),
  };
};
