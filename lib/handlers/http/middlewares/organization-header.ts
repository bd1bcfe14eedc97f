import { validate } from 'uuid';
import { invalid } from '../../../errors/errors.ts';
import { needsOrganization, type Routed } from '../../../operations/definition.ts';
import type { Caller } from '../../../organizations/caller.ts';
import { type SentHeaders, singleHeader } from '../headers.ts';
import type { Middleware } from '../middleware.ts';

const header = 'X-Organization-Id';

export interface NamedOrganization {
  /** Undefined where the request names none, and need not. */
  organizationId: string | undefined;
}

/**
 * Learns which organization the request names. An API key of an organization need not name it. For an operation in no
 * organization, what a token names is not looked at. Throws `invalid_request`.
 */
export const organizationHeader = (operation: Routed): Middleware<Caller, NamedOrganization> => {
  const isNeeded = needsOrganization(operation);
  return {
    before: ({ event, context }) => {
      const { apiKey } = context;
      const organizationId = isNeeded || apiKey ? readOrganizationId(event) : undefined;
      if (isNeeded && organizationId === undefined && apiKey?.kind !== 'organization') {
        throw invalid(header, 'is required');
      }
      Object.assign(context, { organizationId } satisfies NamedOrganization);
    },
  };
};

/** The organization id in the header; undefined without a header. Throws `invalid_request`. */
const readOrganizationId = (event: SentHeaders): string | undefined => {
  const value = singleHeader(event, header);
  if (value !== undefined && !validate(value)) throw invalid(header, 'must be a UUID');
  return value?.toLowerCase();
};
