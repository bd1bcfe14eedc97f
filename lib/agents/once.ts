import { v5 } from 'uuid';
import type { Sent } from '../admission/input.ts';
import { ApiError } from '../errors/errors.ts';
import { isReplay } from '../operations/idempotency-record.ts';
import type { AnyOperation } from '../operations/kinds/operation.ts';
import type { Reply } from '../operations/request.ts';
import { fingerprintOf } from '../schema/fingerprint.ts';
import type { RunOperation } from './tool.ts';

/** Makes idempotency keys of contents. */
const namespace = '5b2f3a0e-6a55-4a53-8d2e-0f4a1c6f3d11';

const mostTries = 5;

/**
 * Runs an operation once a day for the same content from the same caller: the idempotency key is made of the content. What
 * was refused never took effect, and what `isGone` is not there any more: so it is tried again, under the next key.
 */
export const once = async (
  operation: AnyOperation,
  sent: Sent,
  run: RunOperation,
  isGone: (earlier: Reply) => Promise<boolean> = async () => false,
): Promise<Reply> => {
  for (let tries = 1; ; tries++) {
    const idempotencyKey = v5(fingerprintOf([operation.id, sent, tries]), namespace);
    try {
      const reply = await run(operation, { ...sent, idempotencyKey });
      if (tries === mostTries || !isReplay(reply) || !(await isGone(reply))) return reply;
    } catch (error) {
      if (!(error instanceof ApiError && error.replayed) || tries === mostTries) throw error;
    }
  }
};
