import { type Admitted, start } from '../../../admission/run.ts';
import type { AnyOperation } from '../../../operations/kinds/operation.ts';
import { type Asked, inputOf } from '../input.ts';
import type { Middleware } from '../middleware.ts';

/** Admits the caller and what is asked, or throws why not. */
export const admission = (operation: AnyOperation): Middleware<Asked, Admitted> => ({
  before: async ({ event, context }) => {
    const input = inputOf(operation, event, context);
    const started = await start(operation, context, context.organizationId, input, context);
    Object.assign(context, started);
  },
});
