import type { Setting } from '../../functions/example.ts';
import { hasRoute } from '../../lib/operations/definition.ts';
import { gatewayEvent, type Sender } from './gateway-event.ts';
import type { WithExamples } from './load.ts';
import { eventFor } from './request.ts';

/** The event that an operation's function is given for the first of its examples. */
export const sampleEvent = async (
  { operation, examples: [first] }: WithExamples,
  setting: Setting,
  sender: Sender,
): Promise<unknown> => {
  const request = await first.request(setting);
  return hasRoute(operation)
    ? gatewayEvent(operation, request, sender)
    : eventFor(operation, request);
};
