import { type Admitted, startForCaller } from '../../../admission/run.ts';
import type { AnyCallerOperation } from '../../../operations/kinds/caller-operation.ts';
import { type Asked, inputOf } from '../input.ts';
import type { Middleware } from '../middleware.ts';

/** Admits the caller and what is asked of an operation in no organization, or throws why not. */
export const callerAdmission = (operation: AnyCallerOperation): Middleware<Asked, Admitted> => ({
  before: async ({ event, context }) => {
    const input = inputOf(operation, event, context);
    const started = await startForCaller(
      operation,
      context,
      context.organizationId,
      input,
      context,
    );
    Object.assign(context, started);
  },
});
