/** On each answer, the gateway's own too: browsers take a body for nothing but its type, and keep to HTTPS for a year. */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000',
} as const;
