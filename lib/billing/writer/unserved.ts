import type { WalletStep } from '../rules/step.ts';

/**
 * Says in the log which events were paid and gave nothing, as no month can have their stars: an alarm counts these lines. Ids
 * only, as in every line of the log.
 */
export const logUnserved = (organization_id: string, steps: readonly WalletStep[]): void => {
  for (const { entry, unserved } of steps) {
    if (unserved) console.warn({ outcome: 'unserved', organization_id, event_id: entry.event_id });
  }
};
