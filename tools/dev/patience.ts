import type { Assembly } from '@leads-and-stars/runner';

/**
 * Gives requests the time that a slow machine needs, where they have nothing to do with time. Before any function is
 * used.
 */
export const givePatience = ({ functions, api }: Assembly, seconds: number): void => {
  const routed = new Set(api.routes.map(({ functionLogicalId }) => functionLogicalId));
  for (const fn of functions) if (routed.has(fn.logicalId)) fn.timeoutSeconds = seconds;
  for (const route of api.routes) route.timeoutMilliseconds = seconds * 1000;
};
