import type { OpenRequest } from '../../../admission/open-request.ts';
import { forbidden } from '../../../errors/errors.ts';
import { headerValues } from '../headers.ts';
import type { Middleware } from '../middleware.ts';

/**
 * Throws `forbidden` for a page of an origin that the deployment does not name (`CORS_ORIGINS`): as the Model Context
 * Protocol wants it, against DNS rebinding. Programs send no `Origin`. Stands before anything is asked of the caller.
 */
export const knownOrigin = (): Middleware<OpenRequest & { userId?: never }> => ({
  before: ({ event }) => {
    const allowed = process.env.CORS_ORIGINS?.split(',') ?? [];
    if (headerValues(event, 'Origin').every((origin) => allowed.includes(origin))) return;
    throw forbidden('Origin', 'is none that may call from a browser here');
  },
});
