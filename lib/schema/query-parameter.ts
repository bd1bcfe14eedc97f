import * as z from 'zod/mini';

/** A query parameter, which may be sent once only. API Gateway gives each as the list of its values. */
export const queryParameter = <T>(schema: z.ZodMiniType<T, string>) =>
  z.pipe(
    z.array(z.string()).check(z.length(1, 'must be sent once')),
    z.pipe(
      z.transform(([value = '']: string[]) => value),
      schema,
    ),
  );
