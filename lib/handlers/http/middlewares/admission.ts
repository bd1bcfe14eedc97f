import { admit } from '../../../admission/admission.ts';
import { type Admitted, replyTo } from '../../../admission/run.ts';
import type { AnyOperation } from '../../../operations/kinds/operation.ts';
import { type Asked, inputOf } from '../input.ts';
import type { Middleware } from '../middleware.ts';

/** Admits the caller and what is asked, or throws why not. */
export const admission = (operation: AnyOperation): Middleware<Asked, Admitted> => ({
  before: async ({ event, context }) => {
    const input = inputOf(operation, event, context);
    const admitted = await admit(operation, context, context.organizationId, input, context);
    const reply = () => replyTo(operation, admitted, context.table);
    Object.assign(context, { reply } satisfies Admitted);
  },
});
