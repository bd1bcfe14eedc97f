import { admitCaller } from '../../../admission/caller-admission.ts';
import { type Admitted, replyToCaller } from '../../../admission/run.ts';
import type { AnyCallerOperation } from '../../../operations/kinds/caller-operation.ts';
import { type Asked, inputOf } from '../input.ts';
import type { Middleware } from '../middleware.ts';

/** Admits the caller and what is asked of an operation in no organization, or throws why not. */
export const callerAdmission = (operation: AnyCallerOperation): Middleware<Asked, Admitted> => ({
  before: async ({ event, context }) => {
    const input = inputOf(operation, event, context);
    const admitted = await admitCaller(operation, context, context.organizationId, input, context);
    const reply = () => replyToCaller(operation, admitted, context.table);
    Object.assign(context, { reply } satisfies Admitted);
  },
});
