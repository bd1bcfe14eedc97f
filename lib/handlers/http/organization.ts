import { validate } from 'uuid';
import { invalid } from '../../errors/errors.ts';
import type { Caller } from '../../organizations/caller.ts';
import type { Step } from './chain.ts';
import type { RequestContext } from './envelope.ts';
import { type Headers, singleHeader } from './headers.ts';

const header = 'X-Organization-Id';

export interface NamedOrganization {
  /** Undefined where an API key of an organization calls without the header: then it is that one. */
  organizationId: string | undefined;
}

/** Learns which organization the request names. Throws `invalid_request`. */
export const organization: Step<RequestContext & Caller, NamedOrganization> = ({
  headers,
  apiKey,
}) => {
  const organizationId = readOrganizationId(headers);
  if (organizationId === undefined && apiKey?.kind !== 'organization') {
    throw invalid(header, 'is required');
  }
  return { organizationId };
};

/** What the header names; undefined without one. Throws `invalid_request`. */
export const readOrganizationId = (headers: Headers): string | undefined => {
  const value = singleHeader(headers, header);
  if (value !== undefined && !validate(value)) throw invalid(header, 'must be a UUID');
  return value?.toLowerCase();
};
