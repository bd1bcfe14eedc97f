import type { Assembly } from '@leads-and-stars/runner';

/**
 * Gives each request more seconds than the 11 of a deployment, as a slow machine needs them. Not for tests of time
 * limits. Call it before the first request.
 */
export const givePatience = ({ functions, api }: Assembly, seconds = 60): void => {
  const routed = new Set(api.routes.map(({ functionLogicalId }) => functionLogicalId));
  for (const fn of functions) if (routed.has(fn.logicalId)) fn.timeoutSeconds = seconds;
  for (const route of api.routes) route.timeoutMilliseconds = seconds * 1000;
};
