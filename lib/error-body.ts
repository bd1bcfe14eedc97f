import * as z from 'zod/mini';
import { type ErrorCode, errorKinds } from './errors.ts';

const codes = Object.keys(errorKinds) as [ErrorCode, ...ErrorCode[]];

/** What is said of an error, wherever one is answered. */
export const errorFields = {
  code: z.enum(codes),
  message: z.string().check(z.minLength(1)),
  details: z.optional(
    z.array(
      z.strictObject({
        path: z.string(),
        message: z.string(),
        lead_id: z.optional(z.uuid()),
      }),
    ),
  ),
};

/** The body of every response that is not 2xx. */
export const errorBody = z.strictObject({
  error: z.strictObject({ ...errorFields, request_id: z.string().check(z.minLength(1)) }),
});
